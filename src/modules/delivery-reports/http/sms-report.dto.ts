import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ErrorRow } from '../../../platform/http/index.js';

const REQUEST_ID = 'GSMCAMP_20260501_A1B2C3';

/** Body of `getGSMreport.php` for Swagger; the same names count in the query, but for providerMessageId. */
export class SmsReportBody {
  @ApiProperty({
    description: 'Also accepted as requestid, provider_message_id, providermessageid or (in a body) providerMessageId.',
    example: REQUEST_ID,
  })
  request_id!: string;

  @ApiPropertyOptional({ description: 'Only records of this status.', example: 'DELIVERED' })
  status?: string;

  @ApiPropertyOptional({ description: 'One page of the records; without page and limit all come.', example: 1 })
  page?: number;

  @ApiPropertyOptional({ description: '50 when page is given, at most 1000.', example: 100 })
  limit?: number;
}

/** Bodies to try in Swagger UI. */
export const REPORT_EXAMPLES = {
  whole: { summary: 'Every record', value: { request_id: REQUEST_ID } },
  page: {
    summary: 'One page of the failed ones',
    value: { request_id: REQUEST_ID, status: 'FAILED', page: 1, limit: 100 },
  },
};

/** Summary of an SMS campaign (reference/delivery-reports#sms-summary). */
export class SmsSummary {
  @ApiProperty({ example: REQUEST_ID })
  requestid!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: '2', description: 'Credits taken at acceptance, for all contacts.' })
  deduction!: string;

  @ApiProperty({ example: '2' })
  contacts!: string;

  @ApiProperty({ example: 'Spring sale' })
  broadcast_name!: string;

  @ApiProperty({ example: '2026-05-01 12:30:00', description: 'The moment of acceptance when unscheduled.' })
  schedule_time!: string;

  @ApiProperty({ example: '2026-05-01' })
  schedule_date!: string;
}

/** One recipient (reference/delivery-reports#delivery-record). */
export class SmsDeliveryRecord {
  @ApiProperty({ example: 'gsm.status.update' })
  event!: string;

  @ApiProperty({ example: REQUEST_ID })
  providerMessageId!: string;

  @ApiProperty({ example: '919812345678' })
  receiver!: string;

  @ApiProperty({ example: 'DELIVERED', enum: ['PP1', 'SENT', 'DELIVERED', 'FAILED', 'CANCELLED'] })
  status!: string;

  @ApiProperty({ example: 0, enum: [0, 1], description: '1 when failed.' })
  status_code!: number;

  @ApiProperty({ type: Number, nullable: true, example: null, description: "The carrier's number." })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  errorMessage!: string | null;
}

/** What the report holds. */
export class SmsReportData {
  @ApiProperty()
  summary!: SmsSummary;

  @ApiProperty({ example: 2 })
  total_rows!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { DELIVERED: 1, FAILED: 1 },
    description: 'Of the whole campaign, without zeros.',
  })
  status_counts!: Record<string, number>;

  @ApiProperty({ type: [SmsDeliveryRecord], description: 'In the order of the contacts.' })
  records!: SmsDeliveryRecord[];
}

/** Answer of `getGSMreport.php` (reference/delivery-reports#getgsmreportphp). */
export class SmsReportAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: REQUEST_ID })
  request_id!: string;

  @ApiProperty()
  data!: SmsReportData;
}

/**
 * Error table of `getGSMreport.php` (reference/delivery-reports#getgsmreportphp), in the order in which the rows are
 * judged.
 */
export const SMS_REPORT_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'neither GET nor POST' },
  { status: 413, message: 'Request body is too large', reason: 'body over 64 KB' },
  { status: 400, message: 'Malformed JSON body', reason: 'no JSON, or deeper than 32 levels' },
  {
    status: 429,
    message: 'Too many requests. Please try again later.',
    reason: 'more than 60 misses in a minute from one address',
  },
  { status: 400, message: 'request_id is required', reason: 'no identifier or alias given' },
  {
    status: 404,
    message: 'Report not found',
    reason: 'no SMS campaign of that id, or its account demands its own token',
  },
  { status: 500, message: 'Database connection failed', reason: 'server error' },
  { status: 500, message: 'Failed to prepare report query', reason: 'server error' },
  { status: 500, message: 'Failed to prepare delivery details query', reason: 'server error' },
];
