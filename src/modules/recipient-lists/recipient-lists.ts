import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MOST_ROW_FAULTS, type RowFault } from '../../kernel/errors.js';
import type { Channel, RecipientSource, SourcedRecipient } from '../engine/index.js';
import { ListMembers } from './members.store.js';
import { ListStore } from './lists.store.js';
import type { Reading } from './readings.store.js';
import { UploadStore } from './uploads.store.js';
import { listErrors, uploadErrors } from './recipient-lists.errors.js';

/** What a send is sent to. */
export type RecipientsOrigin = { uploadId: number } | { listId: number };

/**
 * `hold`: they stay until they have been read, though their upload expire or their list be removed. `look`: the reading is
 * refused then, and writes nothing.
 */
export type ReadBy = 'hold' | 'look';

/** Recipients that a send or a quote reads, as often as it wants: they are the same each time, or the reading is refused. */
export interface HeldRecipients extends RecipientSource {
  /**
   * To be called in the transaction that accepts what was sent to them: from its commit on a list is frozen. What is
   * quoted or refused freezes nothing.
   * @throws AppError conflict `List is being changed`, when it is no longer what was read
   */
  freeze(tx: EntityManager): Promise<void>;
}

/** A row as it is stored. */
interface StoredRecipient {
  row: number;
  number: string;
  variables: string | null;
}

/** Uploads and lists as what other features send to. */
@Injectable()
export class RecipientLists {
  constructor(
    private readonly uploads: UploadStore,
    private readonly lists: ListStore,
    private readonly members: ListMembers,
  ) {}

  /**
   * The recipients of an upload in the order of its rows, or those of a list in the order of their numbers, some thousand at
   * a time and in bounded memory. A number that the channel does not take refuses all of them, when they have been read to
   * their end, or to the hundredth.
   * @throws AppError not_found `Upload not found`, `List not found`; conflict `List is being changed`; invalid
   * `List has no members`
   */
  async sourceOf(
    accountId: number,
    origin: RecipientsOrigin,
    channel: Pick<Channel, 'readRecipient'>,
    by: ReadBy,
  ): Promise<HeldRecipients> {
    return 'uploadId' in origin
      ? this.ofUpload(await this.uploads[by](accountId, origin.uploadId), channel)
      : this.ofList(await this.lists[by](accountId, origin.listId), channel);
  }

  private ofUpload(reading: Reading | null, channel: Pick<Channel, 'readRecipient'>): HeldRecipients {
    if (!reading) throw uploadErrors.notFound();
    const { uploads } = this;
    const rows = async function* (): AsyncGenerator<StoredRecipient[], void, undefined> {
      for (let after = 0; ;) {
        const part = await uploads.rowsAfter(reading.id, after);
        if (!(await uploads.keep(reading))) throw uploadErrors.notFound();
        const last = part.at(-1);
        if (!last) return;
        after = last.seq;
        yield part.map(({ seq, number, variables }) => ({ row: seq, number, variables }));
      }
    };
    return { total: reading.total, read: () => taken(rows(), channel), freeze: () => Promise.resolve() };
  }

  private ofList(reading: Reading, channel: Pick<Channel, 'readRecipient'>): HeldRecipients {
    if (reading.total === 0) throw listErrors.empty();
    const { lists, members } = this;
    const rows = async function* (): AsyncGenerator<StoredRecipient[], void, undefined> {
      let after = '';
      for (let row = 1; ;) {
        const part = await members.after(reading.id, after);
        await lists.keep(reading); // behind the reading: what was read is of the state that it began with
        const last = part.at(-1);
        if (!last) return;
        after = last.number;
        const first = row;
        row += part.length;
        yield part.map((member, place) => ({ row: first + place, ...member }));
      }
    };
    return { total: reading.total, read: () => taken(rows(), channel), freeze: (tx) => lists.freeze(tx, reading) };
  }
}

const NO_NUMBER = { reason: 'number_invalid', message: 'the channel takes no such number' };

/** Rows as the channel takes them. */
async function* taken(
  parts: AsyncIterable<readonly StoredRecipient[]>,
  { readRecipient }: Pick<Channel, 'readRecipient'>,
): AsyncGenerator<readonly SourcedRecipient[], void, undefined> {
  const faults: RowFault[] = [];
  for await (const part of parts) {
    const recipients: SourcedRecipient[] = [];
    for (const { row, number, variables } of part) {
      const read = readRecipient(number);
      if (read === null) faults.push({ row, value: number, ...NO_NUMBER });
      else if (variables === null || variables === '{}') recipients.push({ row, number: read });
      else recipients.push({ row, number: read, variables: JSON.parse(variables) as Record<string, string> });
    }
    if (faults.length >= MOST_ROW_FAULTS) break;
    yield recipients;
  }
  if (faults.length > 0) throw listErrors.unreadable().naming(faults);
}
