import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { fieldErrors } from '../../kernel/errors.js';
import {
  ApiErrors,
  bodyErrors,
  CsvFile,
  type CsvRequest,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  streamText,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs, SENDS } from '../accounts/index.js';
import {
  encodingWarnings,
  readFileName,
  readUploadId,
  RemovedUploadAnswer,
  TakenUploadAnswer,
  UploadAnswer,
  UploadFileBody,
  UploadPageAnswer,
  type UploadSummary,
} from './recipient-lists.dto.js';
import { UPLOAD_ERRORS, uploadErrors } from './recipient-lists.errors.js';
import { SKIPPED_EXAMPLE, skippedFrame } from './skipped-rows.js';
import { GetUploadQuery, ListUploadsQuery, SkippedRowsQuery } from './recipient-lists.queries.js';
import { RemoveUploadCommand, TakeUploadCommand } from './uploads.commands.js';

const ID = { name: 'id', type: Number, example: 301_234_567_890_123 };
const UPLOADS = { name: 'uploads', positions: 'ids' } as const;

/** Files of recipients with their variables (reference/recipient-lists#uploads). */
@ApiTags('Recipients')
@Authenticated()
@Controller('v6/api/uploads')
export class UploadsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Needs('manage', ...SENDS)
  @CsvFile()
  @ApiOperation({
    summary: 'Upload a file of recipients: CSV or .xlsx',
    description:
      'A header, then up to 500,000 rows; every column but the number’s is a variable. As a form with the part `file`, or as a body of type `text/csv` or that of .xlsx. CSV in UTF-8, UTF-16 or Windows-1252, separated by commas, semicolons or tabs; of an .xlsx the first visible sheet. Rows without a number are left out and told. Kept for 7 days.',
  })
  @ApiQuery({ name: 'number_column', required: false, description: 'Where the header does not tell by its name' })
  @ApiQuery({ name: 'file_name', required: false, description: 'Of a body; a form has it in its part' })
  @ApiBody({ type: UploadFileBody })
  @ApiCreatedResponse({ type: TakenUploadAnswer })
  @ApiErrors(...UPLOAD_ERRORS)
  async take(
    @Req() request: CsvRequest,
    @Query('number_column') column: unknown,
    @Query('file_name') named: unknown,
    @CurrentActor() { account }: Actor,
    @Warnings() warn: Warn,
  ): Promise<TakenUploadAnswer> {
    if (!request.csv) throw bodyErrors.fileRequired();
    if (column !== undefined && typeof column !== 'string') throw fieldErrors.invalid('number_column');
    const numberColumn = column?.trim() ? column : null;
    const fileName = (): string | null => readFileName(named ?? request.csvName);
    const id = await this.commands.execute(new TakeUploadCommand(account, request.csv, numberColumn, fileName));
    const data = await this.queries.execute(new GetUploadQuery(account, id));
    warn(...encodingWarnings(data));
    return { success: true, message: 'Upload saved successfully', data };
  }

  @Get()
  @ApiOperation({ summary: 'List uploads, newest first' })
  @ListQuery()
  @ApiOkResponse({ type: UploadPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<UploadSummary>> {
    const page = readListPage(UPLOADS, query);
    return paged(UPLOADS, page, await this.queries.execute(new ListUploadsQuery(account, page)));
  }

  @Get(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One upload' })
  @ApiOkResponse({ type: UploadAnswer })
  @ApiErrors(uploadErrors.notFound)
  async find(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<UploadAnswer> {
    return { success: true, data: await this.queries.execute(new GetUploadQuery(account, readUploadId(id))) };
  }

  @Get(':id/skipped.csv')
  @ApiParam(ID)
  @ApiOperation({
    summary: 'The rows of an upload that were left out, as a CSV file',
    description:
      'The columns of the file, then `row`, `reason` and `message`. Mended, it can be uploaded as it is, with `number_column`. A field that a spreadsheet would take for a formula begins with an apostrophe.',
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({
    description: 'The file.',
    content: { 'text/csv': { schema: { type: 'string' }, example: SKIPPED_EXAMPLE } },
  })
  @ApiErrors(uploadErrors.notFound)
  async skipped(@Param('id') id: string, @CurrentActor() { account }: Actor, @Res() response: Response): Promise<void> {
    const { upload, batches } = await this.queries.execute(new SkippedRowsQuery(account, readUploadId(id)));
    await streamText(response, skippedFrame(upload), batches);
  }

  @Delete(':id')
  @Needs('manage', ...SENDS)
  @HttpCode(200)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Delete an upload', description: 'What was sent to it stays.' })
  @ApiOkResponse({ type: RemovedUploadAnswer })
  @ApiErrors(uploadErrors.notFound)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<RemovedUploadAnswer> {
    await this.commands.execute(new RemoveUploadCommand(account, readUploadId(id)));
    return { success: true, message: 'Upload deleted successfully' };
  }
}
