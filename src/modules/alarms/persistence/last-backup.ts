import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { again } from '../../../platform/database/index.js';

/** Notes that a copy of the database is whole, now: by the clock of the database. */
export async function noteBackup(database: Pick<EntityManager, 'query'>): Promise<void> {
  await database.query(
    again(`INSERT INTO last_backup (id, ended_at) VALUES (1, UTC_TIMESTAMP(3))
      ON DUPLICATE KEY UPDATE ended_at = VALUES(ended_at)`),
  );
}

/** When a copy of the database was made last (docs/operate/backup.md). */
@Injectable()
export class LastBackup {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Seconds since the last one ended; null = none was ever noted. */
  async ageSeconds(): Promise<number | null> {
    const [row] = await this.dataSource.query<{ age: string }[]>(
      `SELECT TIMESTAMPDIFF(MICROSECOND, ended_at, UTC_TIMESTAMP(3)) / 1000000 AS age FROM last_backup WHERE id = 1 LIMIT 1`,
    );
    return row ? Math.max(0, Number(row.age)) : null;
  }
}
