import { DataSource, type DataSourceOptions } from 'typeorm';
import { dataSourceOptions } from './options.js';

const POOL = 4;
const BOUNDS = { queryTimeout: 3_000, poolWait: 2_000 };

/**
 * A small database beside the process's own, which it must be able to do without: it connects at the first question, and again
 * at the next one where that failed. Single statements only.
 */
export class OtherDatabase {
  private opened: Promise<DataSource> | null = null;

  constructor(private readonly url: string) {}

  async query<Result>(sql: string, values: unknown[] = []): Promise<Result> {
    const source = await (this.opened ??= this.open());
    return source.query<Result>(sql, values);
  }

  async close(): Promise<void> {
    const source = await this.opened?.catch(() => null);
    await source?.destroy();
  }

  private open(): Promise<DataSource> {
    const options = { ...dataSourceOptions(this.url, POOL, BOUNDS), migrations: [], entities: [] } as DataSourceOptions;
    const opening = new DataSource(options).initialize();
    opening.catch(() => {
      this.opened = null;
    });
    return opening;
  }
}
