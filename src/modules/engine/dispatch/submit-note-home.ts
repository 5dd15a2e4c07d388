import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** of the socket that only a living process holds */
const ALIVE = '.alive';
export const NOTE = '.note';

/** The kernel's own name of this boot, the same in every container; null where there is none. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/** Where notes of a database's campaigns lie: two databases that share a directory know nothing of each other. */
export function noteDirectory(dataDirectory: string, databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  const database = createHash('sha256')
    .update(host + pathname)
    .digest('hex')
    .slice(0, 16);
  return join(dataDirectory, 'submit-notes', database);
}

/**
 * Says that a process lives, by a Unix socket that it listens on: the kernel refuses calls to it from the moment in which
 * the last thread of the process is gone, and takes them while it is frozen. So no process number is compared, which
 * another process may have by now, or which is another one's in another container.
 */
export class LifeSign {
  private constructor(
    readonly name: string,
    private readonly server: Server,
  ) {}

  /** @throws where the directory takes no sockets */
  static async show(directory: string): Promise<LifeSign> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
    const server = createServer((socket) => socket.destroy()).unref();
    await near(directory, (place) => {
      return new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(`${place}/${name}${ALIVE}`, resolve);
      });
    });
    return new LifeSign(name, server);
  }

  /** The process of that name is gone for certain: what is unclear counts as alive. Only for notes of this boot. */
  static isGone(directory: string, name: string): Promise<boolean> {
    return near(
      directory,
      (place) =>
        new Promise((resolve) => {
          const socket = connect(`${place}/${name}${ALIVE}`, () => resolve(false));
          socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
          socket.on('close', () => socket.destroy());
        }),
    );
  }

  /** From here on the process counts as gone. */
  end(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** Removes the notes of a process and its sign. */
export function removeNotes(directory: string, name: string): void {
  for (const kind of [NOTE, ALIVE]) rmSync(join(directory, name + kind), { force: true });
}

/** A short way to a directory: the path of a socket has no more than 107 bytes. */
async function near<Result>(directory: string, work: (place: string) => Promise<Result>): Promise<Result> {
  const handle = openSync(directory, 'r');
  try {
    return await work(`/proc/self/fd/${handle}`);
  } finally {
    closeSync(handle);
  }
}
