import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/environment.mjs';
import { run } from '../../scripts/lib/processes.mjs';
import { say } from '../../scripts/lib/progress.mjs';

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trim();
const versionAt = (commit) => JSON.parse(git('show', `${commit}:package.json`)).version;

/** The last commit whose migrations are those of 0.3.0. Said anew with every release. */
const LAST_VERSION = '273b9f1cd5e9d8707d3590a14513e58b61a5a444';

/** @throws Error where this clone does not reach back so far */
function formerCommit() {
  try {
    return git('rev-parse', '--verify', '--quiet', `${LAST_VERSION}^{commit}`);
  } catch {
    const isShallow = git('rev-parse', '--is-shallow-repository') === 'true';
    throw new Error(
      `The last version is not in this clone${isShallow ? ', which is shallow (git fetch --unshallow)' : ''}; UPGRADE_FROM names another commit`,
    );
  }
}

/** What a lock file installs: all it says but the version of the service itself. */
function packagesOf(lock) {
  const { packages } = JSON.parse(lock);
  return JSON.stringify({ ...packages, '': { ...packages[''], version: '' } });
}

let known = null;

/**
 * The last version (or the commit that `UPGRADE_FROM` names), built in a checkout of its own, once for all rounds of a run, with
 * which it goes.
 * @returns {Promise<string>} where it stands
 */
export const formerVersion = () => (known ??= build());

async function build() {
  if (!existsSync(join(ROOT, '.git')))
    throw new Error('The last version is taken from git: run this in a clone with its history');
  const commit = process.env.UPGRADE_FROM ?? formerCommit();
  const root = join(mkdtempSync(join(tmpdir(), 'switchboard-former-')), 'checkout');
  process.once('exit', () => {
    rmSync(join(root, '..'), { recursive: true, force: true });
    git('worktree', 'prune');
  });
  git('worktree', 'add', '--quiet', '--detach', root, commit);
  say(`Version ${versionAt(commit)} (${commit.slice(0, 7)}) is built in ${root}`);
  const own = packagesOf(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  if (packagesOf(git('show', `${commit}:package-lock.json`)) === own) {
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  } else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root });
  await run(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root });
  return root;
}
