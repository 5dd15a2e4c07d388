import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { dateTime } from '../../../kernel/clock.js';
import { AnswerOf, LocalTime, OptionalText, RequiredText } from '../../../platform/http/index.js';
import type { LoginFactorEntity } from './tables.js';

export const LONGEST_FACTOR_NAME = 64;

const OBJECT = { type: 'object', additionalProperties: true } as const;

export class FactorData {
  @ApiProperty({ type: 'integer', example: 373662154973185 })
  id!: number;

  @ApiProperty({ enum: ['totp', 'passkey'], example: 'passkey', description: 'totp: an authenticator app' })
  kind!: 'totp' | 'passkey';

  @ApiProperty({ example: 'Laptop', description: 'Of a passkey; empty for an app' })
  name!: string;

  @LocalTime({ nullable: true })
  last_used_at!: string | null;

  @LocalTime()
  created_at!: string;
}

export class SecondFactorsData {
  @ApiProperty({ example: false, description: 'Whether this login must have one (REQUIRE_SECOND_FACTOR)' })
  is_required!: boolean;

  @ApiProperty({ example: false, description: 'true: the session opens nothing else until there is one' })
  is_missing!: boolean;

  @ApiProperty({ type: [FactorData] })
  factors!: FactorData[];

  @ApiProperty({ type: 'integer', example: 10 })
  recovery_codes_left!: number;
}

export class SecondFactorsAnswer extends AnswerOf(SecondFactorsData) {}

export class NewTotpData {
  @ApiProperty({ example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', description: 'Base32, to type into an app' })
  secret!: string;

  @ApiProperty({
    example: 'otpauth://totp/Switchboard:jane.doe?issuer=Switchboard&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    description: 'What the QR code says',
  })
  uri!: string;
}

export class NewTotpAnswer extends AnswerOf(NewTotpData) {}

export class ConfirmTotpRequest {
  @RequiredText('otp', '123456')
  otp!: string;
}

export class AddPasskeyRequest {
  @OptionalText('name', { example: 'Laptop', maxLength: LONGEST_FACTOR_NAME })
  name?: string | null;

  @Allow()
  @ApiProperty({
    ...OBJECT,
    description: 'What the browser answered (RegistrationResponseJSON of WebAuthn)',
    example: {},
  })
  passkey!: unknown;
}

export class ConfirmRequest {
  @OptionalText('password', { example: 'Sunny-Day-7', description: 'The own password; or otp, or passkey' })
  password?: string | null;

  @OptionalText('otp', { example: '123456', description: 'A code of the app, or a recovery code' })
  otp?: string | null;

  @Allow()
  @ApiPropertyOptional({
    ...OBJECT,
    description: 'What the browser answered (AuthenticationResponseJSON of WebAuthn)',
  })
  passkey?: unknown;
}

export class NewFactorData {
  @ApiProperty({
    type: [String],
    example: ['abcd-efgh-ijkl-mnop'],
    description: 'Recovery codes, shown this once: of the first factor. Empty: those of before stay',
  })
  recovery_codes!: string[];
}

export class NewFactorAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Second factor added successfully' })
  message!: string;

  @ApiProperty({ type: NewFactorData })
  data!: NewFactorData;
}

export class PasskeyOptionsData {
  @ApiProperty({
    ...OBJECT,
    nullable: true,
    example: null,
    description: 'For the browser (WebAuthn); null: there is no passkey',
  })
  options!: object | null;
}

export class PasskeyOptionsAnswer extends AnswerOf(PasskeyOptionsData) {}

export const factorData = (row: LoginFactorEntity, zone: string): FactorData => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  last_used_at: row.lastUsedAt && dateTime(row.lastUsedAt, zone),
  created_at: dateTime(row.createdAt, zone),
});
