import { accessSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** A Chromium of this machine; `npm test` installs Debian's where it may. */
export function findChromium(): string | null {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of NAMES) {
      try {
        accessSync(join(directory, name));
        return join(directory, name);
      } catch {
        continue;
      }
    }
  }
  return null;
}

/** Why browser tests cannot run here. */
export const NO_CHROMIUM = 'no chromium on PATH: install the Debian package chromium';

/** A headless browser. Root may not use its sandbox. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(NO_CHROMIUM);
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}
