import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../accounts/index.js';
import { storageErrors } from '../quotas/index.js';
import { type RawList, readGivenId, readListName } from './domain/list-form.js';
import { CreateListCommand, RemoveListCommand, RenameListCommand } from './lists.commands.js';
import {
  ChangedListAnswer,
  CreatedListAnswer,
  ListAnswer,
  ListBody,
  type ListData,
  ListNameBody,
  ListPageAnswer,
  readListId,
  RemovedListAnswer,
} from './recipient-lists.dto.js';
import { listErrors, listFaults } from './recipient-lists.errors.js';
import { GetListQuery, ListListsQuery } from './recipient-lists.queries.js';

const ID = { name: 'id', type: Number, example: 301_234_567_890_124 };
const LISTS = { name: 'lists', positions: 'ids' } as const;

/** Lists of recipients that an account keeps (reference/recipient-lists#lists). */
@ApiTags('Recipients')
@Authenticated()
@Controller('v6/api/lists')
export class ListsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Needs('manage')
  @ApiOperation({
    summary: 'A new list, empty or a copy',
    description: 'A frozen list is changed by changing its copy.',
  })
  @ApiBody({ type: ListBody })
  @ApiCreatedResponse({ type: CreatedListAnswer })
  @ApiErrors(
    listErrors.nameRequired,
    listErrors.nameTooLong,
    listErrors.sourceInvalid,
    listErrors.busy,
    listErrors.tooMany,
    listErrors.notFound,
    listErrors.changing,
    storageErrors.full.because('a copy; STORAGE_PER_ACCOUNT'),
  )
  async create(@Body() body: RawList, @CurrentActor() { account }: Actor): Promise<CreatedListAnswer> {
    const name = nameOf(body);
    const fromId = readGivenId(body.from_list_id);
    if (fromId === undefined) throw listFaults.sourceInvalid();
    const id = await this.commands.execute(new CreateListCommand(account, name, fromId));
    const data = await this.queries.execute(new GetListQuery(account, id));
    return { success: true, message: 'List created successfully', data };
  }

  @Get()
  @ApiOperation({ summary: 'List lists, newest first' })
  @ListQuery()
  @ApiOkResponse({ type: ListPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<Paged<ListData>> {
    const page = readListPage(LISTS, query);
    return paged(LISTS, page, await this.queries.execute(new ListListsQuery(account, page)));
  }

  @Get(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One list' })
  @ApiOkResponse({ type: ListAnswer })
  @ApiErrors(listErrors.notFound)
  async find(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<ListAnswer> {
    return { success: true, data: await this.queries.execute(new GetListQuery(account, readListId(id))) };
  }

  @Patch(':id')
  @Needs('manage')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Rename a list, frozen or not' })
  @ApiBody({ type: ListNameBody })
  @ApiOkResponse({ type: ChangedListAnswer })
  @ApiErrors(listErrors.notFound, listErrors.nameRequired, listErrors.nameTooLong)
  async rename(
    @Param('id') id: string,
    @Body() body: RawList,
    @CurrentActor() { account }: Actor,
  ): Promise<ChangedListAnswer> {
    const listId = readListId(id);
    await this.commands.execute(new RenameListCommand(account, listId, nameOf(body)));
    const data = await this.queries.execute(new GetListQuery(account, listId));
    return { success: true, message: 'List updated successfully', data };
  }

  @Delete(':id')
  @Needs('manage')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Delete a list, frozen or not', description: 'What was sent to it stays.' })
  @ApiOkResponse({ type: RemovedListAnswer })
  @ApiErrors(listErrors.notFound)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<RemovedListAnswer> {
    await this.commands.execute(new RemoveListCommand(account, readListId(id)));
    return { success: true, message: 'List deleted successfully' };
  }
}

function nameOf({ name }: RawList): string {
  const read = readListName(name);
  if ('fault' in read) throw listFaults[read.fault]();
  return read.name;
}
