import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { again } from '../../../platform/database/index.js';
import { RedisLink } from '../../../platform/security/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';

/** A durable write takes long: the database's disk, or the database. */
@Injectable()
export class DatabaseSlow implements AlarmCheck {
  readonly kind = 'database_slow';

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_DATABASE_SLOW'>,
  ) {}

  async find(): Promise<Finding[]> {
    const begun = performance.now();
    await this.dataSource.query(
      again(
        `INSERT INTO replica_beats (id, beat) VALUES (1, UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE beat = VALUES(beat)`,
      ),
    );
    const ms = performance.now() - begun;
    const { ALARM_DATABASE_SLOW: threshold } = this.environment;
    if (ms < threshold) return [];
    const message = `A write of one row took the database ${(ms / 1000).toFixed(1)} s`;
    return [{ subject: '', message, value: Math.round(ms) / 1000, threshold: threshold / 1000 }];
  }
}

/** Redis does not answer. */
@Injectable()
export class RedisAway implements AlarmCheck {
  readonly kind = 'redis_away';

  constructor(private readonly redis: RedisLink) {}

  async find(): Promise<Finding[]> {
    if (await this.redis.ping()) return [];
    return [{ subject: '', message: 'Redis gives no answer', value: null, threshold: null }];
  }
}
