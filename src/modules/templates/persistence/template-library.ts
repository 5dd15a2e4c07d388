import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import type { Template } from '../domain/template.js';
import { templateOf } from './template-rows.js';
import { TemplateEntity } from './template.entities.js';

const IDS_A_LOOK = 500;
const BATCH_BYTES = 1024 * 1024;

/** Templates for those who send them, and for lists. */
@Injectable()
export class TemplateLibrary {
  constructor(@InjectRepository(TemplateEntity) private readonly templates: Repository<TemplateEntity>) {}

  /** The template of an account by its name, byte for byte, whatever its status; null when there is none. */
  async find(accountId: number, name: string): Promise<Template | null> {
    const row = await this.templates.findOneBy({ accountId, name });
    return row && templateOf(row);
  }

  async byId(id: number): Promise<Template | null> {
    const row = await this.templates.findOneBy({ id });
    return row && templateOf(row);
  }

  /** All templates of an account, ascending by id, in batches of bounded size; no connection is held between two. */
  async *rowsOfAccount(accountId: number): AsyncGenerator<TemplateEntity[], void, undefined> {
    let after = 0;
    for (;;) {
      const ids: { id: number }[] = await this.templates.query(
        'SELECT id FROM templates WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?',
        [accountId, after, IDS_A_LOOK],
      );
      const last = ids.at(-1);
      if (!last) return;
      yield* this.rows(ids.map(({ id }) => id));
      after = last.id;
    }
  }

  /** These templates in their order, in batches of 1 MB at most; a larger one, from before there were bounds, goes alone. */
  async *rows(ids: readonly number[]): AsyncGenerator<TemplateEntity[], void, undefined> {
    if (ids.length === 0) return;
    const sizes: { id: number; bytes: number }[] = await this.templates.query(
      `SELECT id, LENGTH(body) + LENGTH(footer) + LENGTH(quick_replies) + LENGTH(body_examples) AS bytes
       FROM templates WHERE id IN (?)`,
      [ids],
    );
    const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
    for (const batch of batchesOf(ids, (id) => bytesOf.get(id) ?? 0)) {
      const found = await this.templates.findBy({ id: In(batch) });
      const byId = new Map(found.map((row) => [row.id, row]));
      yield batch.flatMap((id) => byId.get(id) ?? []);
    }
  }

  /** Whether a template of the account stands under this id at the upstream. */
  isUpstream(accountId: number, upstreamId: string): Promise<boolean> {
    return this.templates.existsBy({ accountId, upstreamId });
  }
}

function* batchesOf(ids: readonly number[], bytesOf: (id: number) => number): Generator<number[]> {
  let batch: number[] = [];
  let bytes = 0;
  for (const id of ids) {
    if (batch.length > 0 && bytes + bytesOf(id) > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(id);
    bytes += bytesOf(id);
  }
  if (batch.length > 0) yield batch;
}
