import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';
import { LastBackup } from '../persistence/last-backup.js';

const HOUR_SECONDS = 3_600;

/** The last copy of the database is older than the operator wants it to be, or there is none. */
@Injectable()
export class BackupOld implements AlarmCheck {
  readonly kind = 'backup_old';

  constructor(
    private readonly backup: LastBackup,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BACKUP_MAX_AGE_HOURS'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { BACKUP_MAX_AGE_HOURS: threshold } = this.environment;
    if (threshold === 0) return [];
    const seconds = await this.backup.ageSeconds();
    if (seconds === null) {
      return [{ subject: '', message: 'No copy of the database was ever noted', value: null, threshold }];
    }
    const hours = Math.floor((10 * seconds) / HOUR_SECONDS) / 10;
    if (seconds <= threshold * HOUR_SECONDS) return [];
    return [{ subject: '', message: `The last copy of the database is ${hours} h old`, value: hours, threshold }];
  }
}
