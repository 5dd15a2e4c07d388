import { ApiProperty } from '@nestjs/swagger';
import { UsagePageAnswer } from '../../credits/index.js';

/** What an account stores. */
export class StorageAnswer {
  @ApiProperty({ example: 439_000_000, description: 'Bytes of uploads, lists, audio and templates' })
  bytes!: number;

  @ApiProperty({ example: 1_073_741_824, description: 'At most so many bytes (STORAGE_PER_ACCOUNT)' })
  limit!: number;
}

/** A part of the own usage. */
export class OwnUsagePageAnswer extends UsagePageAnswer {
  @ApiProperty({ type: StorageAnswer, description: 'Now, whatever the days' })
  storage!: StorageAnswer;
}
