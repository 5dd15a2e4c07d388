/**
 * Loaded into a process before its program (`--import`): counts which functions run, by V8's precise coverage. At SIGUSR2 it
 * writes the source files of the functions that ran since the last time to `COVERED_FILE`, as a JSON array, and counts anew.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Positions of a program and the sources they come from. */
class Program {
  constructor(file) {
    this.directory = dirname(file);
    this.map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    this.lineStarts = [0];
    const text = readFileSync(file, 'utf8');
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.lineStarts.push(at + 1);
  }

  sourceOf(offset) {
    let [low, high] = [0, this.lineStarts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lineStarts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    const { originalSource } = this.map.findEntry(low, offset - this.lineStarts[low]);
    return originalSource === undefined ? null : relative(process.cwd(), resolve(this.directory, originalSource));
  }
}

const programs = new Map();
function programAt(url) {
  if (!programs.has(url)) programs.set(url, new Program(fileURLToPath(url)));
  return programs.get(url);
}

/** A bundle of ours; what the bundler adds has no map. */
const isOurs = (url) => /^file:.*\/dist\/src\//.test(url) && existsSync(`${fileURLToPath(url)}.map`);

process.on('SIGUSR2', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = new Set();
  for (const { url, functions } of result.filter(({ url: program }) => isOurs(program)))
    for (const { ranges, functionName } of functions)
      if (ranges[0].count > 0 && (functionName !== '' || ranges[0].startOffset > 0))
        files.add(programAt(url).sourceOf(ranges[0].startOffset));
  const own = [...files].filter((file) => file?.startsWith('src/')).sort();
  writeFileSync(`${process.env.COVERED_FILE}.part`, JSON.stringify(own));
  renameSync(`${process.env.COVERED_FILE}.part`, process.env.COVERED_FILE);
});
