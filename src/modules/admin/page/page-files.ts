import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { Injectable } from '@nestjs/common';

/** Sent to browsers as they stand, so nothing compiles them. */
const FOLDER = join('src', 'modules', 'admin', 'page', 'public');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the admin page. */
export interface PageFile {
  type: string;
  content: Buffer;
}

/** The files of the admin page, read once. What is built reads them where the sources stand. */
@Injectable()
export class PageFiles {
  private files: Promise<ReadonlyMap<string, PageFile>> | null = null;

  /** @returns null for a name that is none of the folder's files */
  async find(name: string): Promise<PageFile | null> {
    this.files ??= readAll(folder());
    return (await this.files).get(name) ?? null;
  }
}

async function readAll(directory: string): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const name of await readdir(directory)) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(name, { type, content: await readFile(join(directory, name)) });
  }
  return files;
}

/** The root of the project is the nearest folder above this file that has the page. */
function folder(): string {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const path = join(at, FOLDER);
    if (existsSync(path)) return path;
    if (at === dirname(at)) throw new Error(`${FOLDER} is missing`);
  }
}
