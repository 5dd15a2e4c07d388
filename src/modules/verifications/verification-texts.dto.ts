import { ApiProperty } from '@nestjs/swagger';
import { LONGEST_TEXT } from './verifications.errors.js';
import type { VerificationText } from './verification-texts.store.js';

export class VerificationTextData implements VerificationText {
  @ApiProperty({ example: 'default' })
  name!: string;

  @ApiProperty({ example: 'en' })
  locale!: string;

  @ApiProperty({ example: '{code} is your {app} code. It expires in {minutes} minutes.' })
  text!: string;
}

export class VerificationTextsAnswer {
  @ApiProperty({ enum: [true] })
  success!: true;

  @ApiProperty({ type: [VerificationTextData] })
  data!: VerificationTextData[];
}

export class VerificationTextBody {
  @ApiProperty({
    example: '{code} is your {app} code.',
    maxLength: LONGEST_TEXT,
    description: '`{code}` once, and where you want them `{app}` and `{minutes}`',
  })
  text!: string;
}
