import { ApiProperty } from '@nestjs/swagger';
import type { ErrorRow } from '../../../platform/http/index.js';

const REQUEST_ID = 'VCAMP_20260501_A1B2C3D4';

/** Summary of a voice campaign (reference/delivery-reports#voice-summary). */
export class VoiceSummary {
  @ApiProperty({ example: REQUEST_ID })
  requestid!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: '2', description: 'Credits per contact.' })
  deduction!: string;

  @ApiProperty({ example: '4', description: 'Credits for all contacts, less what was given back.' })
  total_credits_used!: string;

  @ApiProperty({ example: '2' })
  contacts!: string;

  @ApiProperty({ example: 'Appointment reminder' })
  broadcast_name!: string;

  @ApiProperty({ example: '2026-05-01', description: 'The day of acceptance when unscheduled.' })
  Date!: string;

  @ApiProperty({ example: '12:30:00' })
  Time!: string;
}

/** One recipient (reference/delivery-reports#delivery-record). */
export class VoiceDeliveryRecord {
  @ApiProperty({ example: 'voice.status.update' })
  event!: string;

  @ApiProperty({ example: REQUEST_ID })
  providerMessageId!: string;

  @ApiProperty({ example: '919812345678' })
  receiver!: string;

  @ApiProperty({
    example: 'ANSWERED',
    enum: ['PENDING', 'INITIATED', 'ANSWERED', 'FAILED', 'NO_ANSWER', 'BUSY', 'CANCELLED'],
  })
  status!: string;

  @ApiProperty({ example: 0, enum: [0, 1], description: '1 when failed.' })
  status_code!: number;

  @ApiProperty({ type: Number, nullable: true, example: null, description: "The network's number." })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  errorMessage!: string | null;

  @ApiProperty({ example: 14, description: 'Seconds of the call, 0 when unanswered.' })
  duration!: number;
}

/** What the report holds. */
export class VoiceReportData {
  @ApiProperty()
  summary!: VoiceSummary;

  @ApiProperty({ example: 2 })
  total_rows!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { ANSWERED: 1, BUSY: 1 },
    description: 'Of the whole campaign, without zeros.',
  })
  status_counts!: Record<string, number>;

  @ApiProperty({ type: [VoiceDeliveryRecord], description: 'In the order of the contacts.' })
  records!: VoiceDeliveryRecord[];
}

/** Answer of the voice report (reference/delivery-reports#voicereport). */
export class VoiceReportAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: REQUEST_ID })
  request_id!: string;

  @ApiProperty()
  data!: VoiceReportData;
}

/**
 * Error table of the voice report (reference/delivery-reports#voicereport), in the order in which the rows are judged.
 */
export const VOICE_REPORT_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'not GET' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid token in the header' },
  { status: 429, message: 'Too many requests. Please try again later.', reason: 'over the general limit' },
  { status: 400, message: 'request_id is required', reason: 'missing or empty' },
  { status: 404, message: 'Report not found', reason: 'no voice campaign of this account has that id' },
  { status: 500, message: 'Database connection failed', reason: 'server error' },
  { status: 500, message: 'Failed to prepare report query', reason: 'server error' },
  { status: 500, message: 'Failed to prepare delivery details query', reason: 'server error' },
];
