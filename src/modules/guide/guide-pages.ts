import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { TtlCache } from '../../platform/concurrency/index.js';
import { type Environment, publicPath } from '../../platform/config/index.js';
import { renderLayout, renderMarkdown, type GuidePage, groupPages } from './rendering.js';

const GUIDE = '/docs/guide';
/** A file that identifies the project's root, since other folders may have a `docs`. */
const MARK = join('docs', 'reference', 'README.md');
const ASSETS = join('src', 'modules', 'guide', 'public');
const TYPES: Readonly<Record<string, string>> = {
  'guide.css': 'text/css; charset=utf-8',
  'guide.js': 'text/javascript; charset=utf-8',
};

export interface GuideAsset {
  type: string;
  content: Buffer;
}

/** Pages change with the version only; a failed read is retried at the next request. */
const KEPT_MS = 3_600_000;

/** Pages of `docs`, rendered on first request. */
export class GuidePages {
  private readonly base: string;
  private readonly known = new TtlCache<'pages', ReadonlyMap<string, GuidePage>>(KEPT_MS);
  private readonly rendered = new TtlCache<string, string>(KEPT_MS);
  private readonly assets = new TtlCache<string, Buffer>(KEPT_MS);

  /** @param root folder of the project (`guideRoot`); null = no pages */
  constructor(
    environment: Pick<Environment, 'PUBLIC_URL'>,
    private readonly root: string | null,
  ) {
    this.base = publicPath(environment);
  }

  /** @param path such as `operate/backup`; '' = first page @returns an HTML document; null when there is no page */
  async find(path: string): Promise<string | null> {
    const page = (await this.pages()).get(path);
    return page ? this.rendered.get(page.path, () => this.render(page)) : null;
  }

  async asset(name: string): Promise<GuideAsset | null> {
    const type = TYPES[name];
    const { root } = this;
    if (type === undefined || root === null) return null;
    return { type, content: await this.assets.get(name, () => readFile(join(root, ASSETS, name))) };
  }

  private async pages(): Promise<ReadonlyMap<string, GuidePage>> {
    const { root } = this;
    return root === null ? new Map() : this.known.get('pages', () => readPages(join(root, 'docs')));
  }

  private async render(page: GuidePage): Promise<string> {
    const pages = await this.pages();
    const { title, html } = renderMarkdown(page.text, (href) => this.link(href, page.file, pages));
    const groups = groupPages([...pages.values()]);
    return renderLayout({ title, html, groups, current: page.path, guide: this.base + GUIDE, base: this.base });
  }

  /** A link for the browser; null when its target is not served. */
  private link(href: string, from: string, pages: ReadonlyMap<string, GuidePage>): string | null {
    if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('#')) return href;
    const [target = '', fragment] = href.split('#');
    const file = posix.join(posix.dirname(from), target);
    if (file === 'openapi.json') return `${this.base}/docs`;
    const page = pages.get(pathOf(file));
    if (!page || !file.endsWith('.md')) return null;
    return `${this.base}${addressOf(page.path)}${fragment === undefined ? '' : `#${fragment}`}`;
  }
}

const addressOf = (path: string): string => (path === '' ? GUIDE : `${GUIDE}/${path}`);

/** `operate/backup.md` becomes `operate/backup`, a README its folder, and a generated page loses its folder. */
const pathOf = (file: string): string =>
  file
    .replace(/\.md$/, '')
    .replace(/(^|\/)README$/, '')
    .replace(/^generated\//, '');

async function readPages(directory: string): Promise<Map<string, GuidePage>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'));
  const pages = await Promise.all(
    files.map(async ({ parentPath, name }): Promise<GuidePage> => {
      const text = await readFile(join(parentPath, name), 'utf8');
      const file = join(parentPath, name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/');
      return { path: pathOf(file), file, text, title: /^# +(.+)$/m.exec(text)?.[1]?.replace(/`/g, '') ?? name };
    }),
  );
  return new Map(pages.map((page) => [page.path, page]));
}

/** Nearest parent folder with the documents; null when they were left out. */
export function guideRoot(): string | null {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    if (existsSync(join(at, MARK))) return at;
    if (at === dirname(at)) return null;
  }
}
