import type { GuideGroup } from './navigation.js';

/** What a page is put together of. */
export interface Layout {
  title: string;
  html: string;
  groups: readonly GuideGroup[];
  /** path of the page that is shown */
  current: string;
  /** address of the guide */
  guide: string;
  /** path below which the API is found */
  base: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

/** A whole document: the page, and the way to all others behind it, so that it comes first on a telephone. */
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
