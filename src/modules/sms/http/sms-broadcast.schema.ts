import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Body of `addbroadcastgsm.php` for Swagger; `readSmsBroadcast` reads and judges it. */
export class SmsBroadcastBody {
  @ApiPropertyOptional({
    description:
      'Sends as this account without a token and takes precedence over one. Not for staff accounts, nor for accounts that demand a token.',
    example: 'demo',
  })
  username?: string;

  @ApiProperty({ description: 'Longer names are cut at 100 characters.', example: 'Spring sale' })
  broadcast_name!: string;

  @ApiProperty({
    description: 'The SMS route. A name that is no route goes over the default route.',
    example: 'sandbox',
  })
  brodcast_service!: string;

  @ApiProperty({
    description: 'Everything but digits is removed; each 9 to 30 digits. In a form: comma-separated.',
    type: [String],
    example: ['919812345678', '919812345679'],
  })
  contacts!: string[];

  @ApiProperty({
    description:
      'GSM 03.38 text: 160 / 306 / 459 / 612 characters cost 1 / 2 / 3 / 4 credits a contact. Anything else: 70 / 133 / 199 / 265 / 331 UTF-16 units cost 1 / 2 / 3 / 4 / 5.',
    example: 'Hello from Switchboard',
  })
  message!: string;

  @ApiPropertyOptional({
    description:
      'Your own request id, 1 to 64 of A-Z a-z 0-9 . _ : -; also accepted as provider_message_id or providerMessageId. The same request again gets the first answer and is not charged again.',
    example: 'order-4711',
  })
  providermessageid?: string;

  @ApiPropertyOptional({
    description: 'YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601.',
    example: '2030-01-31 09:30:00',
  })
  schedule_time?: string;
}

const MINIMAL = {
  broadcast_name: 'Spring sale',
  brodcast_service: 'sandbox',
  contacts: ['919812345678', '919812345679'],
  message: 'Hello from Switchboard',
};

/** Bodies to try in Swagger UI. */
export const BROADCAST_EXAMPLES = {
  minimal: { summary: 'With a token', value: MINIMAL },
  named: { summary: 'Without a token, by username', value: { username: 'demo', ...MINIMAL } },
  scheduled: {
    summary: 'Scheduled, with your own request id',
    value: { ...MINIMAL, providermessageid: 'order-4711', schedule_time: '2030-01-31 09:30:00' },
  },
};

/** Answer of `addbroadcastgsm.php` (spec 4.3). */
export class SmsBroadcastAnswer {
  @ApiProperty({ example: 'GSMCAMP_20260501_A1B2C3' })
  request_id!: string;

  @ApiProperty({ example: 'PP1', description: 'Accepted and queued.' })
  status!: 'PP1';

  @ApiProperty({ example: 'Success' })
  message!: 'Success';

  @ApiProperty({ example: '1' })
  url!: '1';

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 2, description: 'Credits per contact times contacts.' })
  Credits!: number;
}

/** Answer of `sms_get.php` (decisions §7). */
export class SmsGetAnswer {
  @ApiProperty({ example: 'ok' })
  status!: 'ok';

  @ApiProperty({ example: 'ok' })
  textsent!: 'ok';

  @ApiProperty({ example: 'Success' })
  message!: 'Success';

  @ApiProperty({ example: 'GSMCAMP_20260501_A1B2C3' })
  request_id!: string;

  @ApiProperty({ example: 1 })
  Credits!: number;
}
