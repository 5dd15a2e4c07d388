import GithubSlugger from 'github-slugger';
import createMarkdownIt, { type MarkdownIt } from 'markdown-it';
import anchor from 'markdown-it-anchor';

/** What a link of a page becomes; null: what it leads to is not served, and its text stays. */
export type LinkRewriter = (href: string) => string | null;

/** A page as HTML. */
export interface RenderedPage {
  title: string;
  html: string;
}

/** Notes for programs that write parts of a page. */
const COMMENT = /^<!--.*?-->$/gms;

/**
 * Makes HTML of Markdown: no HTML of the page goes through, no picture is shown, nothing needs an inline style, and what
 * may be wider than a telephone scrolls in a box of its own.
 */
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

/** Tables and code in boxes that the keyboard reaches; columns are aligned by classes. */
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

/** Links between pages lead through the guide; what is not served is no link. */
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
