import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { again } from '../../../platform/database/index.js';

/** A disk of a host. */
export interface DiskOf {
  host: string;
  directory: string;
}

/** A disk with little free room, in bytes. */
export interface DiskShortage extends DiskOf {
  free: number;
  size: number;
}

/** A process looks every minute: what none has seen for so long is over, or its host is gone. */
const SEEN_SECONDS = 180;
const MOST_SHOWN = 100;

/** Disks that are nearly full, as the processes see that use them. */
@Injectable()
export class DiskShortages {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async note({ host, directory, free, size }: DiskShortage): Promise<void> {
    await this.dataSource.query(
      again(`INSERT INTO disk_shortages (host, directory, free_bytes, size_bytes, seen_at)
        VALUES (LEFT(?, 64), LEFT(?, 255), ?, ?, UTC_TIMESTAMP(3))
        ON DUPLICATE KEY UPDATE free_bytes = VALUES(free_bytes), size_bytes = VALUES(size_bytes), seen_at = VALUES(seen_at)`),
      [host, directory, free, size],
    );
  }

  async remove({ host, directory }: DiskOf): Promise<void> {
    await this.dataSource.query(
      again('DELETE FROM disk_shortages WHERE host = LEFT(?, 64) AND directory = LEFT(?, 255)'),
      [host, directory],
    );
  }

  /** Those seen lately. */
  async list(): Promise<DiskShortage[]> {
    const rows = await this.dataSource.query<(DiskOf & { free: string; size: string })[]>(
      `SELECT host, directory, free_bytes AS free, size_bytes AS size FROM disk_shortages
       WHERE seen_at > UTC_TIMESTAMP(3) - INTERVAL ${SEEN_SECONDS} SECOND ORDER BY seen_at DESC LIMIT ${MOST_SHOWN}`,
    );
    return rows.map((row) => ({ ...row, free: Number(row.free), size: Number(row.size) }));
  }
}
