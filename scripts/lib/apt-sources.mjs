/** The mirrors that apt of this machine is set up with. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * One line of `deb`, or one paragraph of a `.sources` file.
 * @typedef {{ uri: string, suites: string[], components: string[], signedBy?: string, trusted?: string }} Entry
 */

/** @param {string} text of a file such as sources.list @returns {Entry[]} */
export function parseList(text) {
  return text.split('\n').flatMap((line) => {
    const [, options = '', uri, suite, components = ''] =
      /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line) ?? [];
    if (uri === undefined) return [];
    const given = Object.fromEntries(options.split(/\s+/).map((option) => option.split('=')));
    return [
      {
        uri,
        suites: [suite],
        components: components.split(/\s+/).filter((name) => name !== ''),
        ...(given['signed-by'] === undefined ? {} : { signedBy: given['signed-by'] }),
        ...(given.trusted === undefined ? {} : { trusted: given.trusted }),
      },
    ];
  });
}

/** @param {string} text of a file such as debian.sources (deb822) @returns {Entry[]} */
export function parseSources(text) {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .split(/\n\s*\n/)
    .flatMap((paragraph) => {
      const fields = Object.fromEntries(
        [...paragraph.matchAll(/^([\w-]+):((?:.*)(?:\n[ \t].*)*)/gm)].map(([, name, value]) => [
          name.toLowerCase(),
          value.replace(/^[ \t]+|\s+$/g, ''),
        ]),
      );
      const words = (name) => (fields[name] ?? '').split(/\s+/).filter((word) => word !== '');
      if (!words('types').includes('deb') || /^(no|false|off|0)$/i.test(fields.enabled ?? '')) return [];
      return words('uris').map((uri) => ({
        uri,
        suites: words('suites'),
        components: words('components'),
        ...(fields['signed-by'] === undefined ? {} : { signedBy: fields['signed-by'] }),
        ...(fields.trusted === undefined ? {} : { trusted: fields.trusted }),
      }));
    });
}

/** @returns {{ release: Record<string, string>, entries: Entry[] }} what the machine is, and where apt fetches from */
export function readAptSources(etc = '/etc') {
  const text = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const parts = join(etc, 'apt/sources.list.d');
  const files = [join(etc, 'apt/sources.list')];
  if (existsSync(parts))
    files.push(
      ...readdirSync(parts)
        .sort()
        .map((name) => join(parts, name)),
    );
  const entries = files.flatMap((file) =>
    file.endsWith('.sources') ? parseSources(text(file)) : file.endsWith('.list') ? parseList(text(file)) : [],
  );
  return { release: parseEnv(text(join(etc, 'os-release'))), entries };
}

/** The entry that this Debian itself is fetched by, whose mirror has every other suite too; null on another system. */
export function debianEntry({ release, entries }) {
  if (release.ID !== 'debian') return null;
  const suites = [release.VERSION_CODENAME, 'stable', 'oldstable', 'testing', 'unstable', 'sid'];
  const isDebian = ({ suites: own, components }) =>
    components.includes('main') && own.some((suite) => suites.includes(suite));
  return entries.find(isDebian) ?? null;
}

/** @param {Entry} entry @returns {string} a `.sources` file for another suite of the same mirror */
export function sourcesFile({ uri, signedBy, trusted }, suite) {
  const lines = ['Types: deb', `URIs: ${uri}`, `Suites: ${suite}`, 'Components: main'];
  if (signedBy !== undefined) lines.push(`Signed-By: ${signedBy}`);
  if (trusted !== undefined) lines.push(`Trusted: ${trusted}`);
  return `${lines.join('\n')}\n`;
}
