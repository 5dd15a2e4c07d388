import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';

/** Output of the build (scripts/lib/build.mjs). */
const FOLDER = join('dist', 'web');
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Best first. Brotli's highest quality takes a second for the largest file, and saves 3 %. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const SHORTEN: Readonly<Record<string, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, BROTLI),
  gzip: (content) => promisify(gzip)(content),
  identity: (content) => Promise.resolve(content),
};
export const ENCODINGS = Object.keys(SHORTEN);

export interface WebFile {
  type: string;
  /** in the encoding that was asked for */
  content: Buffer;
}

@Injectable()
export class WebFiles {
  private names: Promise<ReadonlySet<string>> | null = null;
  private page: Promise<string> | null = null;
  private readonly files = new Map<string, Promise<WebFile>>();

  /** @param encoding one of `ENCODINGS` */
  async asset(name: string, encoding: string): Promise<WebFile | null> {
    const type = TYPES[extname(name)];
    this.names ??= readdir(join(folder(), 'assets')).then((names) => new Set(names));
    if (type === undefined || !(await this.names).has(name)) return null;
    const key = `${name} ${encoding}`;
    const file = this.files.get(key) ?? readAsset(name, type, encoding);
    this.files.set(key, file);
    return file;
  }

  /** The page with relative addresses, so that it works below any prefix of a proxy or a cell. @param path `/app` or below */
  async indexFor(path: string): Promise<string> {
    this.page ??= readFile(join(folder(), 'index.html'), 'utf8');
    return (await this.page).replaceAll('="./', `="${toApplication(path)}`);
  }
}

/** `/app` → `./app/`, `/app/` → `./`, `/app/campaigns/7` → `../` */
export function toApplication(path: string): string {
  const below = path.split('/').length - 3;
  if (below < 0) return './app/';
  return below === 0 ? './' : '../'.repeat(below);
}

async function readAsset(name: string, type: string, encoding: string): Promise<WebFile> {
  const content = await readFile(join(folder(), 'assets', name));
  return { type, content: (await SHORTEN[encoding]?.(content)) ?? content };
}

/** Nearest parent folder with the output of the build. */
function folder(): string {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const path = join(at, FOLDER);
    if (existsSync(path)) return path;
    if (at === dirname(at)) throw new Error(`${FOLDER} is missing: npm run build`);
  }
}
