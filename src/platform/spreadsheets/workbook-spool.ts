import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MB = 1024 * 1024;
/** of all workbooks that wait in this process, of every account; the folder may be memory */
const MOST_BYTES = 256 * MB;
/** A small one takes a descriptor, too. */
const LEAST_BYTES = MB;

/** Files without a name on disk, in a common bound. */
export class WorkbookSpool {
  private taken = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {}

  get bytes(): number {
    return this.taken;
  }

  /**
   * Runs `work` with the file that the bytes make; it is gone afterwards.
   * @param busy makes the error where other files leave no room
   */
  async *with<T>(
    bytes: AsyncIterable<Uint8Array>,
    busy: () => Error,
    work: (file: FileHandle) => AsyncIterable<T>,
  ): AsyncGenerator<T, void, undefined> {
    const taken = { bytes: 0 };
    const take = (count: number): void => {
      if (this.taken + count > this.mostBytes) throw busy();
      this.taken += count;
      taken.bytes += count;
    };
    let file: FileHandle | null = null;
    try {
      take(LEAST_BYTES);
      file = await nameless();
      let size = 0;
      for await (const chunk of bytes) {
        if (size + chunk.byteLength > taken.bytes) take(size + chunk.byteLength - taken.bytes);
        await file.write(chunk);
        size += chunk.byteLength;
      }
      yield* work(file);
    } finally {
      this.taken -= taken.bytes;
      await file?.close().catch(() => undefined);
    }
  }
}

async function nameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-file-'));
  try {
    return await open(join(folder, 'workbook'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** That of this process. */
export const workbookSpool = new WorkbookSpool();
