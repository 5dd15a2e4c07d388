import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isRequestId } from '../../kernel/ids.js';
import { isApiKeyDigest } from '../accounts/index.js';
import type { CellName } from '../cell-directory/index.js';
import type { Holdings } from './holdings.dto.js';

/** Returns the items this cell has (reference/cells#how-a-request-finds-its-cell). */
export class FindHoldingsQuery extends Query<Holdings> {
  constructor(readonly asked: Holdings) {
    super();
  }
}

@QueryHandler(FindHoldingsQuery)
export class FindHoldingsHandler implements IQueryHandler<FindHoldingsQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ asked }: FindHoldingsQuery): Promise<Holdings> {
    // one value that is not ASCII would make the database refuse the whole comparison
    const asIds = asked.request_ids.filter(isRequestId);
    const asDigests = asked.api_keys.filter(isApiKeyDigest);
    const [ids, keys, names] = await Promise.all([
      this.rows<{ request_id: string }>('SELECT request_id FROM campaigns WHERE request_id IN (?)', asIds),
      this.rows<{ key_digest: string }>('SELECT key_digest FROM api_keys WHERE key_digest IN (?)', asDigests),
      this.rows<CellName>(
        'SELECT kind, value FROM login_identities WHERE (kind, value) IN (?)',
        asked.names.map(({ kind, value }) => [kind, value]),
      ),
    ]);
    return {
      request_ids: ids.map(({ request_id: id }) => id),
      api_keys: keys.map(({ key_digest: digest }) => digest),
      names,
    };
  }

  private async rows<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return values.length === 0 ? [] : this.dataSource.query<Row[]>(sql, [values]);
  }
}
