import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';
import { DiskShortages } from '../persistence/disk-shortages.js';

const GIB = 1024 ** 3;

/** A disk that some process uses is nearly full. */
@Injectable()
export class DiskFull implements AlarmCheck {
  readonly kind = 'disk_full';

  constructor(
    private readonly shortages: DiskShortages,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_DISK_FREE'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_DISK_FREE: threshold } = this.environment;
    return (await this.shortages.list()).map(({ host, directory, free, size }) => {
      const percent = Math.floor((1_000 * free) / size) / 10;
      const message = `Of the disk under ${directory} on ${host} ${percent} % is free: ${(free / GIB).toFixed(1)} of ${(size / GIB).toFixed(1)} GiB`;
      return { subject: `${host}:${directory}`, message, value: percent, threshold };
    });
  }
}
