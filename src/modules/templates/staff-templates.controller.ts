import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { fieldErrors, invalid } from '../../kernel/errors.js';
import { ONE } from '../../kernel/lists.js';
import { codePoints, textOrNull } from '../../kernel/text.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  readListPage,
  REVISION_ERRORS,
  streamPage,
} from '../../platform/http/index.js';
import { type Account, type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { readTemplateId } from './template-form.js';
import { readStatus, STATUS_LABELS, type TemplateMove } from './template.js';
import { MoveTemplateCommand } from './templates.commands.js';
import { MovedTemplateAnswer, ReviewedTemplatePageAnswer, ReviewRequest } from './templates.dto.js';
import { LONGEST_REASON, templateErrors } from './templates.errors.js';
import { ReviewTemplatesQuery } from './templates.queries.js';

const unknownStatus = invalid(
  'template_status',
  fieldErrors.noWord.shown('status', STATUS_LABELS).text,
  'another word or number',
);
const reasonTooLong = invalid('reason_too_long', fieldErrors.tooLong.shown('reason', LONGEST_REASON).text, 'too long');

const MOVE_ERRORS = [
  fieldErrors.invalid.shown('reason').because('no text'),
  templateErrors.notFound.because('no such template'),
  reasonTooLong,
  templateErrors.wrongState.because('its state does not allow the move'),
  ...REVISION_ERRORS,
];

const Move =
  (move: TemplateMove, summary: string): MethodDecorator =>
  (target, key, descriptor) => {
    const examples = {
      plain: { summary: 'Without a reason', value: {} },
      reason: { summary: 'With a reason', value: { reason: 'The sample is not clear', revision: 1 } },
    };
    for (const decorate of [
      Post(`:id/${move}`),
      HttpCode(200),
      ApiParam({ name: 'id', type: Number, example: 12 }),
      ApiOperation({ summary }),
      ApiBody({ type: ReviewRequest, required: false, examples }),
      ApiOkResponse({ type: MovedTemplateAnswer }),
      ApiErrors(...MOVE_ERRORS),
    ])
      decorate(target, key, descriptor);
  };

const TEMPLATES = { name: 'templates', positions: 'ids' } as const;

@ApiTags('Admin: templates')
@Admin()
@Controller('v6/api/admin/templates')
export class TemplatesAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Templates of all accounts, newest first' })
  @ApiQuery({
    name: 'status',
    required: false,
    enum: [...STATUS_LABELS],
    description: 'Their numbers, 0 to 5 in this order, are taken too',
  })
  @ListQuery()
  @ApiOkResponse({ type: ReviewedTemplatePageAnswer })
  @ApiErrors(unknownStatus, ...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @Res() response: Response,
  ): Promise<void> {
    const text = query['status'] ?? '';
    const status = typeof text === 'string' ? readStatus(text) : null;
    if (status === null && text !== '') throw unknownStatus();
    const page = readListPage(TEMPLATES, query);
    const wanted = status === null ? null : { status };
    const listed = await this.queries.execute(new ReviewTemplatesQuery(wanted, account.timeZone, page));
    await streamPage(response, TEMPLATES, page, listed);
  }

  @Get(':id')
  @ApiParam({ name: 'id', type: Number, example: 12 })
  @ApiOperation({ summary: 'One template of any account' })
  @ApiOkResponse({ type: MovedTemplateAnswer })
  @ApiErrors(templateErrors.notFound.because('no such template'))
  find(@Param('id') id: string, @CurrentActor() { account }: Actor) {
    return this.one(readTemplateId(id), account.timeZone);
  }

  @Move('approve', 'Approve a pending template: it can be sent')
  approve(@Param('id') id: string, @Body() body: ReviewRequest, @CurrentActor() actor: Actor) {
    return this.move(actor.account, id, 'approve', body);
  }

  @Move('reject', 'Reject a pending template')
  reject(@Param('id') id: string, @Body() body: ReviewRequest, @CurrentActor() actor: Actor) {
    return this.move(actor.account, id, 'reject', body);
  }

  @Move('pause', 'Pause an approved template')
  pause(@Param('id') id: string, @Body() body: ReviewRequest, @CurrentActor() actor: Actor) {
    return this.move(actor.account, id, 'pause', body);
  }

  @Move('resume', 'Let a paused template be sent again')
  resume(@Param('id') id: string, @Body() body: ReviewRequest, @CurrentActor() actor: Actor) {
    return this.move(actor.account, id, 'resume', body);
  }

  @Move('disable', 'Disable a template for good')
  disable(@Param('id') id: string, @Body() body: ReviewRequest, @CurrentActor() actor: Actor) {
    return this.move(actor.account, id, 'disable', body);
  }

  private async move(actor: Account, idText: string, move: TemplateMove, body: ReviewRequest) {
    const id = readTemplateId(idText);
    const reason = textOrNull(body.reason);
    if (reason !== null && codePoints(reason) > LONGEST_REASON) throw reasonTooLong();
    await this.commands.execute(new MoveTemplateCommand(actor, id, move, reason, body.revision ?? null));
    return this.one(id, actor.timeZone);
  }

  private async one(id: number, timeZone: string) {
    const { items } = await this.queries.execute(new ReviewTemplatesQuery({ id }, timeZone, ONE));
    for await (const [data] of items) if (data) return { success: true, data };
    throw templateErrors.notFound(); // unknown, or deleted meanwhile
  }
}
