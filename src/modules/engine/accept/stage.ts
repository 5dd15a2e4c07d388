import { newId } from '../../../kernel/ids.js';
import { isDuplicateKey } from '../../../platform/database/index.js';
import type { WrittenFor } from './campaign-writer.js';
import type { RecipientPage } from './recipient-page.js';

/** What pages are priced by, once all recipients are known. */
export type Priced = Pick<WrittenFor, 'draft' | 'sum'>;

/** The steps of a stage, each a transaction. */
export interface StageSteps {
  /** Says that an acceptance is under way. */
  begin: (id: number) => Promise<void>;
  write: (id: number, page: RecipientPage, priced: Priced | null) => Promise<void>;
  /** Removes what was written, and never fails. */
  abandon: (id: number) => Promise<void>;
}

/** While one commit is written to the disk, the next one's rows are inserted. */
const COMMITS_AT_ONCE = 2;
const ROUNDS = 6;

/** The recipients of one large acceptance on their way into the database, before there is a campaign of them. */
export class Stage {
  /** the id, once the first page is written under it; null = nothing was begun, or it was abandoned */
  private first: Promise<number> | null = null;
  private written = 0;
  private isKept = false;
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | null = null;

  constructor(private readonly steps: StageSteps) {}

  /**
   * Writes a page. The first one alone: it takes the id from every other process, so that no later ones can stray into its
   * campaign; the others some at a time. Comes back when there is room for another, which may be judged meanwhile.
   * @param priced absent = the page is without terms
   */
  async add(page: RecipientPage, priced: Priced | null = null): Promise<void> {
    if (this.first) await this.writeNext(await this.first, page, priced);
    else this.begin(page, priced);
    this.written += page.numbers.length;
  }

  /** Waits until everything is written. @returns the id that the campaign must have */
  async end(total: number): Promise<number> {
    await this.settled();
    const id = await this.first;
    if (id === null || this.written !== total) {
      throw new Error(`${total} recipients were judged, and ${this.written} written`);
    }
    return id;
  }

  /** The campaign is there. */
  keep(): void {
    this.isKept = true;
  }

  /** Removes what was written, if no campaign has come of it. */
  async abandon(): Promise<void> {
    const id = await this.first?.catch(() => null); // one that fails removes what it has begun
    this.first = null;
    await Promise.all(this.running);
    if (typeof id === 'number' && !this.isKept) await this.steps.abandon(id);
  }

  /** Its faults are those of the next page, or of the end. */
  private begin(page: RecipientPage, priced: Priced | null): void {
    this.first = this.writeFirst(page, priced);
    this.first.catch(() => undefined);
  }

  private async writeFirst(page: RecipientPage, priced: Priced | null): Promise<number> {
    for (let round = 1; ; round++) {
      const id = newId();
      let isBegun = false;
      try {
        await this.steps.begin(id);
        isBegun = true;
        await this.steps.write(id, page, priced);
        return id;
      } catch (error) {
        const isTaken = isDuplicateKey(error);
        // Who could not begin because another process writes under this id must not touch what that one has written.
        if (isBegun || !isTaken) await this.steps.abandon(id);
        if (!isTaken || round >= ROUNDS) throw error;
      }
    }
  }

  private async writeNext(id: number, page: RecipientPage, priced: Priced | null): Promise<void> {
    while (this.running.size >= COMMITS_AT_ONCE) await Promise.race(this.running);
    this.throwFailure();
    const writing: Promise<void> = this.steps
      .write(id, page, priced)
      .catch((error: unknown) => void (this.failure ??= { error }))
      .finally(() => void this.running.delete(writing));
    this.running.add(writing);
  }

  private async settled(): Promise<void> {
    await Promise.all(this.running);
    this.throwFailure();
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}
