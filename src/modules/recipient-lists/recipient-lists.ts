import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MOST_ROW_FAULTS, type RowFault } from '../../kernel/errors.js';
import { refusedNumber } from '../../kernel/phone-numbers.js';
import type { Channel, RecipientSource, SourcedRecipient } from '../engine/index.js';
import { readStored } from '../numbers/index.js';
import { ListMembers } from './members.store.js';
import { ListStore } from './lists.store.js';
import type { Reading } from './readings.store.js';
import { UploadStore } from './uploads.store.js';
import { listErrors, uploadErrors } from './recipient-lists.errors.js';

export type RecipientsOrigin = { uploadId: number } | { listId: number };

/** `hold` keeps the recipients until they are read, even if removed or expired; `peek` writes nothing and fails if they are. */
export type ReadBy = 'hold' | 'peek';

/** Recipients that a send or a quote may read repeatedly: each pass gives the same ones, or throws. */
export interface HeldRecipients extends RecipientSource {
  /** @param refuse receives rows whose number the channel does not take; absent: they are an error at the end */
  read(refuse?: (fault: RowFault) => void): AsyncIterable<readonly SourcedRecipient[]>;
  /** Freezes a list in the transaction that accepts the send. @throws AppError conflict `List is being changed` */
  freeze(tx: EntityManager): Promise<void>;
}

interface StoredRecipient {
  row: number;
  number: string;
  variables: string | null;
}

/** Uploads and lists as recipients of other features' sends. */
@Injectable()
export class RecipientLists {
  constructor(
    private readonly uploads: UploadStore,
    private readonly lists: ListStore,
    private readonly members: ListMembers,
  ) {}

  /**
   * Streams an upload by row, or a list by number, in bounded memory. If the channel refuses numbers, it throws at the end, or
   * after a hundred of them. @throws AppError not_found; conflict `List is being changed`; invalid `List has no members`
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
    return { total: reading.total, read: (refuse) => taken(rows(), channel, refuse), freeze: () => Promise.resolve() };
  }

  private ofList(reading: Reading, channel: Pick<Channel, 'readRecipient'>): HeldRecipients {
    if (reading.total === 0) throw listErrors.empty();
    const { lists, members } = this;
    const rows = async function* (): AsyncGenerator<StoredRecipient[], void, undefined> {
      let after = '';
      for (let row = 1; ;) {
        const part = await members.after(reading.id, after);
        await lists.keep(reading); // after the reading, to detect concurrent changes
        const last = part.at(-1);
        if (!last) return;
        after = last.number;
        const first = row;
        row += part.length;
        yield part.map((member, index) => ({ row: first + index, ...member }));
      }
    };
    return {
      total: reading.total,
      read: (refuse) => taken(rows(), channel, refuse),
      freeze: (tx) => lists.freeze(tx, reading),
    };
  }
}

/** Validates the rows for the channel. */
async function* taken(
  parts: AsyncIterable<readonly StoredRecipient[]>,
  channel: Pick<Channel, 'readRecipient'>,
  refuse?: (fault: RowFault) => void,
): AsyncGenerator<readonly SourcedRecipient[], void, undefined> {
  const faults: RowFault[] = [];
  const leaveOut = refuse ?? ((fault: RowFault): void => void faults.push(fault));
  for await (const part of parts) {
    const recipients: SourcedRecipient[] = [];
    for (const { row, number, variables } of part) {
      const read = readStored(number, channel);
      if ('refused' in read) leaveOut({ row, value: number, ...refusedNumber(read.refused) });
      else if (variables === null || variables === '{}') recipients.push({ row, number: read.digits });
      else recipients.push({ row, number: read.digits, variables: JSON.parse(variables) as Record<string, string> });
    }
    if (faults.length >= MOST_ROW_FAULTS) break;
    yield recipients;
  }
  if (faults.length > 0) throw listErrors.unreadable().naming(faults);
}
