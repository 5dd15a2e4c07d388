import { Body, Controller, Delete, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
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
} from '../../platform/http/index.js';
import { fileErrors } from '../../platform/spreadsheets/index.js';
import { type Account, type Actor, Authenticated, CurrentActor, Needs } from '../accounts/index.js';
import type { RawNumbers } from './suppression.js';
import {
  AddSuppressionsCommand,
  ImportSuppressionsCommand,
  RemoveSuppressionsCommand,
} from './suppressions.commands.js';
import {
  AddedAnswer,
  ImportAnswer,
  wantedOf,
  numbersOf,
  RemovedAnswer,
  type SuppressionData,
  SuppressionFileBody,
  SuppressionNumbersBody,
  SuppressionPageAnswer,
  wantedNumber,
} from './suppressions.dto.js';
import { suppressionErrors } from './suppressions.errors.js';
import { ListSuppressionsQuery } from './suppressions.queries.js';

const STOP_LIST = { name: 'suppressions', positions: 'texts' } as const;

/** An account's stop list (reference/suppressions#effect): no campaign sends to its numbers, on any channel. */
@ApiTags('Suppressions')
@Authenticated()
@Controller('v6/api/suppressions')
export class SuppressionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The stop list, by number' })
  @ApiQuery({ name: 'number', required: false, example: '4915112345678', description: 'Is this number on it?' })
  @ListQuery()
  @ApiOkResponse({ type: SuppressionPageAnswer })
  @ApiErrors(suppressionErrors.number, ...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<SuppressionData>> {
    const page = readListPage(STOP_LIST, query);
    const number = wantedNumber(query['number'], account);
    return paged(STOP_LIST, page, await this.queries.execute(new ListSuppressionsQuery(account, number, page)));
  }

  @Post()
  @Needs('manage')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Put numbers on the stop list',
    description:
      'Counts at once, also for campaigns that run: a recipient not sent to yet ends as FAILED `Suppressed` and is refunded. Session messages, which answer a person who has just written, still go.',
  })
  @ApiBody({ type: SuppressionNumbersBody })
  @ApiOkResponse({ type: AddedAnswer })
  @ApiErrors(suppressionErrors.required, suppressionErrors.number, suppressionErrors.tooMany)
  async add(@Body() body: RawNumbers, @CurrentActor() { account }: Actor): Promise<AddedAnswer> {
    const data = await this.commands.execute(
      new AddSuppressionsCommand(account.id, numbersOf(body, account), byOwner(account)),
    );
    return { success: true, message: 'Suppressions saved successfully', data };
  }

  @Delete()
  @Needs('manage')
  @ApiOperation({
    summary: 'Take numbers off the stop list',
    description: 'Named in the body, or one in the query. Those that wrote STOP are taken off too.',
  })
  @ApiQuery({ name: 'number', required: false, example: '4915112345678' })
  @ApiBody({ type: SuppressionNumbersBody, required: false })
  @ApiOkResponse({ type: RemovedAnswer })
  @ApiErrors(suppressionErrors.required, suppressionErrors.number, suppressionErrors.notFound)
  async remove(
    @Body() { number, numbers }: RawNumbers,
    @Query('number') named: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<RemovedAnswer> {
    const wanted = wantedOf({ numbers, number: number ?? named }, account);
    const removed = await this.commands.execute(new RemoveSuppressionsCommand(account, wanted, byOwner(account)));
    return { success: true, message: 'Suppressions removed successfully', data: { removed } };
  }

  @Post('import')
  @Needs('manage')
  @HttpCode(200)
  @CsvFile()
  @ApiOperation({
    summary: 'Put the numbers of a file on the stop list',
    description:
      'Text with any separator and encoding that uploads take, or .xlsx. One number a line, in the column that the header calls `number` or `phone`, else in the first; with or without a header; as a form with the part `file`, or as a body of type `text/csv`. Lines without a number are left out and reported. The file is taken while it comes in: what was read before a fault stays.',
  })
  @ApiBody({ type: SuppressionFileBody })
  @ApiOkResponse({ type: ImportAnswer })
  @ApiErrors(
    bodyErrors.fileRequired,
    bodyErrors.malformedMultipart,
    suppressionErrors.tooMany,
    suppressionErrors.fileTooLarge,
    fileErrors.noText,
    fileErrors.noWorkbook,
    fileErrors.unpacked,
    fileErrors.longRow,
    fileErrors.busy,
  )
  async import(@Req() request: CsvRequest, @CurrentActor() { account }: Actor): Promise<ImportAnswer> {
    if (!request.csv) throw bodyErrors.fileRequired();
    const data = await this.commands.execute(new ImportSuppressionsCommand(account, request.csv));
    return { success: true, message: 'Suppressions imported successfully', data };
  }
}

const byOwner = (actor: Account) => ({ actor, username: actor.username });
