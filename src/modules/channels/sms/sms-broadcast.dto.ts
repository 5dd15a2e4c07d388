import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BROADCAST_EXAMPLE, BroadcastBody } from '../broadcasts/index.js';

/** Body of `addbroadcastgsm.php`, for Swagger; `readSmsBroadcast` validates it. */
export class SmsBroadcastBody extends BroadcastBody {
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
    description: 'One of your approved sender ids; else the route’s own sender.',
    example: 'ACME',
  })
  sender_id?: string;

  @ApiPropertyOptional({
    description: 'Id of the text in an operator’s registry (India’s DLT), 1 to 30 digits.',
    example: '1107161951486743588',
  })
  dlt_template_id?: string;
}

export const BROADCAST_EXAMPLES = {
  minimal: { summary: 'With a token', value: BROADCAST_EXAMPLE },
  named: { summary: 'Without a token, by username', value: { username: 'demo', ...BROADCAST_EXAMPLE } },
  scheduled: {
    summary: 'Scheduled, with your own request id',
    value: { ...BROADCAST_EXAMPLE, providermessageid: 'order-4711', schedule_time: '2030-01-31 09:30:00' },
  },
};

/** Answer of `addbroadcastgsm.php` (reference/sms#addbroadcastgsmphp). */
export class SmsBroadcastAnswer {
  @ApiProperty({ example: 'GSMCAMP_20260501_A1B2C3' })
  request_id!: string;

  @ApiProperty({ enum: ['PP1'], example: 'PP1', description: 'Accepted and queued.' })
  status!: 'PP1';

  @ApiProperty({ enum: ['Success'], example: 'Success' })
  message!: 'Success';

  @ApiProperty({ enum: ['1'], example: '1' })
  url!: '1';

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 2, description: 'Charged for all contacts together.' })
  Credits!: number;
}

export class SmsGetAnswer {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status!: 'ok';

  @ApiProperty({ enum: ['ok'], example: 'ok' })
  textsent!: 'ok';

  @ApiProperty({ enum: ['Success'], example: 'Success' })
  message!: 'Success';

  @ApiProperty({ example: 'GSMCAMP_20260501_A1B2C3' })
  request_id!: string;

  @ApiProperty({ example: 1 })
  Credits!: number;
}
