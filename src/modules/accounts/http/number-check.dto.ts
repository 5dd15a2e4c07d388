import { ApiProperty } from '@nestjs/swagger';
import { DoneAnswer, RequiredWord } from '../../../platform/http/index.js';
import { NUMBER_CHECKS, type NumberCheckMode } from '../domain/account.js';

/** Body of PUT /account/number-check. */
export class NumberCheckRequest {
  @RequiredWord('number_check', NUMBER_CHECKS, 'warn')
  number_check!: NumberCheckMode;
}

/** What becomes of numbers that no numbering plan has. */
export class NumberCheckData {
  @ApiProperty({ enum: [...NUMBER_CHECKS], example: 'warn' })
  number_check!: NumberCheckMode;
}

/** Answer of a change. */
export class NumberCheckAnswer extends DoneAnswer {
  @ApiProperty({ type: NumberCheckData })
  data!: NumberCheckData;
}
