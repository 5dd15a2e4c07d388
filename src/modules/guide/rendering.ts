import GithubSlugger from 'github-slugger';
import createMarkdownIt, { type MarkdownIt } from 'markdown-it';
import anchor from 'markdown-it-anchor';

export interface GuidePage {
  path: string;
  file: string;
  text: string;
  title: string;
}

interface GuideGroup {
  title: string;
  pages: readonly GuidePage[];
}

/** Folders in reading order; others follow by name. */
const FOLDERS = [
  ['start', 'Start'],
  ['own', 'Your account'],
  ['', 'For programs'],
  ['operate', 'Operate'],
  ['reference', 'Reference'],
  ['decisions', 'The code'],
] as const;
/** Pages at the top of a folder's list; others follow by title. */
const FIRST = [
  ...['which-api', 'prices', 'errors', 'events', 'changelog'],
  ...[
    'start/sms',
    'start/unofficial-chat',
    'start/templates',
    'start/branded',
    'start/session-messages',
    'start/voice',
  ],
  ...[
    'operate/production',
    'operate/configuration',
    'operate/drivers',
    'operate/runbook',
    'operate/sizing',
    'reference',
  ],
  ...['architecture', 'contributing'],
];

/** Pages listed with another folder. */
const READ_WITH: Readonly<Record<string, string>> = {
  errors: '',
  faults: 'operate',
  glossary: 'reference',
  architecture: 'decisions',
  contributing: 'decisions',
};

const folderOf = ({ path, file }: GuidePage): string =>
  READ_WITH[path] ?? (file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '');
const positionOf = ({ path }: GuidePage): number => (FIRST.includes(path) ? FIRST.indexOf(path) : FIRST.length);

export function groupPages(pages: readonly GuidePage[]): GuideGroup[] {
  const known: readonly string[] = FOLDERS.map(([folder]) => folder);
  const others = [...new Set(pages.map(folderOf))].filter((folder) => !known.includes(folder)).sort();
  return [...FOLDERS, ...others.map((folder) => [folder, folder] as const)]
    .map(([folder, title]) => ({
      title,
      pages: inOrder(pages.filter((page) => page.path !== '' && folderOf(page) === folder)),
    }))
    .filter((group) => group.pages.length > 0);
}

const inOrder = (pages: GuidePage[]): GuidePage[] =>
  pages.sort((a, b) => positionOf(a) - positionOf(b) || compare(a, b));

/** Sorts numbered pages, such as decisions, by number. */
const compare = (a: GuidePage, b: GuidePage): number =>
  /^\d/.test(a.title) ? a.path.localeCompare(b.path) : a.title.localeCompare(b.title);

export interface Layout {
  title: string;
  html: string;
  groups: readonly GuideGroup[];
  current: string;
  guide: string;
  base: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

/** An HTML document: the page first, then the navigation, for telephones. */
export function renderLayout({ title, html, groups, current, guide, base }: Layout): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} – Switchboard guide</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${guide}/assets/guide.css">
<script src="${guide}/assets/guide.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header>
<a class="home" href="${guide}">Switchboard guide</a>
<nav aria-label="Elsewhere"><a class="narrow" href="#pages">Pages</a><a href="${base}/docs">API</a></nav>
</header>
<div class="columns">
<main id="content">
${html}</main>
<nav id="pages" aria-label="Pages">
<label class="filter" hidden>Find a page<input type="search" autocomplete="off"></label>
<p class="none" role="status" hidden>No page of that name.</p>
${groups.map((group) => renderGroup(group, current, guide)).join('\n')}
</nav>
</div>
</body>
</html>
`;
}

function renderGroup({ title, pages }: GuideGroup, current: string, guide: string): string {
  const items = pages.map(({ path, title: name }) => {
    const mark = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path === '' ? guide : `${guide}/${path}`}"${mark}>${escape(name)}</a></li>`;
  });
  return `<section>\n<h2>${escape(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</section>`;
}

/** Rewrites a link; null when its target is not served, and only its text stays. */
export type LinkRewriter = (href: string) => string | null;

export interface RenderedPage {
  title: string;
  html: string;
}

/** Comments for programs that generate parts of a page. */
const COMMENT = /^<!--.*?-->$/gms;

/** Renders Markdown without raw HTML, images and inline styles; wide content scrolls in its own box. */
export function renderMarkdown(text: string, rewrite: LinkRewriter): RenderedPage {
  const markdown = createMarkdownIt({ html: false, linkify: false, typographer: false }).disable('image');
  const slugs = new GithubSlugger();
  markdown.use(anchor, { slugify: (heading: string) => slugs.slug(heading), tabIndex: false });
  boxed(markdown);
  linked(markdown, rewrite);
  const source = text.replace(COMMENT, '');
  const title = /^# +(.+)$/m.exec(source)?.[1] ?? 'Guide';
  return { title: title.replace(/`/g, ''), html: markdown.render(source) };
}

/** Wraps tables and code in boxes that the keyboard can focus; aligns columns by classes. */
function boxed(markdown: MarkdownIt): void {
  const { rules } = markdown.renderer;
  const { fence } = rules;
  rules['table_open'] = () => '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  for (const cell of ['th_open', 'td_open']) {
    rules[cell] = (tokens, index, options, _environment, self) => {
      const token = tokens[index];
      const style = String(token?.attrGet('style') ?? '');
      if (token?.attrs) token.attrs = token.attrs.filter(([name]) => name !== 'style');
      if (style.endsWith('right')) token?.attrJoin('class', 'right');
      return self.renderToken(tokens, index, options);
    };
  }
  rules['fence'] = (tokens, index, options, environment, self) =>
    (fence?.(tokens, index, options, environment, self) ?? '').replace('<pre>', '<pre tabindex="0">');
}

function linked(markdown: MarkdownIt, rewrite: LinkRewriter): void {
  const { rules } = markdown.renderer;
  const dead: boolean[] = [];
  rules['link_open'] = (tokens, index, options, _environment, self) => {
    const token = tokens[index];
    const href = rewrite(String(token?.attrGet('href') ?? ''));
    dead.push(href === null);
    if (href === null) return '';
    token?.attrSet('href', href);
    if (/^https?:/.test(href)) token?.attrSet('rel', 'noopener noreferrer');
    return self.renderToken(tokens, index, options);
  };
  rules['link_close'] = () => (dead.pop() ? '' : '</a>');
}
