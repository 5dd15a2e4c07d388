import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../accounts/index.js';
import { readerOf } from '../numbers/index.js';
import { storageErrors } from '../quotas/index.js';
import { MOST_DUPLICATES_SHOWN, type RawMembers, readMembers } from './domain/list-form.js';
import { AddMembersCommand, FillListCommand, RemoveMemberCommand } from './members.commands.js';
import {
  AddedMembersAnswer,
  type AddedMembersData,
  type MemberData,
  MemberPageAnswer,
  MembersBody,
  readListId,
  RemovedMemberAnswer,
} from './recipient-lists.dto.js';
import { listErrors, listFaults, uploadErrors } from './recipient-lists.errors.js';
import { ListMembersQuery } from './recipient-lists.queries.js';

const ID = { name: 'list_id', type: Number, example: 301_234_567_890_124 };
const MEMBERS = { name: 'members', positions: 'texts' } as const;
const MEMBERS_EXAMPLES = {
  members: { summary: 'Entries', value: { members: [{ to: '+91 98765 43210', variables: { name: 'Asha' } }] } },
  upload: { summary: 'The rows of an upload', value: { upload_id: 301_234_567_890_123 } },
};

/** The members of a list (reference/recipient-lists#members). */
@ApiTags('Recipients')
@Authenticated()
@Controller('v6/api/lists/:list_id/members')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Needs('manage')
  @HttpCode(200)
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Add members, or the rows of an upload',
    description:
      'Of a number that comes again the later variables count. Entries are added all or none, rows of an upload some thousand at a time.',
  })
  @ApiBody({ type: MembersBody, examples: MEMBERS_EXAMPLES })
  @ApiOkResponse({ type: AddedMembersAnswer })
  @ApiErrors(
    listErrors.membersRequired,
    listErrors.noArray,
    listErrors.emptyArray,
    listErrors.tooManyAtOnce,
    listErrors.faulty,
    listErrors.busy,
    listErrors.notFound,
    listErrors.frozen,
    listErrors.changing.because('another upload is being added'),
    uploadErrors.notFound,
    listErrors.tooManyMembers,
    storageErrors.full,
  )
  async add(
    @Param('list_id') id: string,
    @Body() body: RawMembers,
    @CurrentActor() actor: Actor,
  ): Promise<AddedMembersAnswer> {
    const data = await this.added(actor, id, body);
    return { success: true, message: 'Members saved successfully', data };
  }

  @Get()
  @ApiParam(ID)
  @ApiOperation({ summary: 'Members, by number' })
  @ApiQuery({ name: 'number', required: false, example: '9198', description: 'Digits that the numbers begin with' })
  @ListQuery()
  @ApiOkResponse({ type: MemberPageAnswer })
  @ApiErrors(listErrors.searchDigits, ...LIST_ERRORS, listErrors.notFound)
  async list(
    @Param('list_id') id: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<MemberData>> {
    const { number = '' } = query;
    if (typeof number !== 'string' || !/^[0-9]{0,30}$/.test(number)) throw listFaults.searchDigits();
    const page = readListPage(MEMBERS, query);
    const members = new ListMembersQuery(account, readListId(id), number, page);
    return paged(MEMBERS, page, await this.queries.execute(members));
  }

  @Delete(':number')
  @Needs('manage')
  @ApiParam(ID)
  @ApiParam({ name: 'number', example: '919876543210' })
  @ApiOperation({ summary: 'Take a number off the list' })
  @ApiOkResponse({ type: RemovedMemberAnswer })
  @ApiErrors(listErrors.notFound, listErrors.frozen, listErrors.memberNotFound)
  async remove(
    @Param('list_id') id: string,
    @Param('number') number: string,
    @CurrentActor() { account }: Actor,
  ): Promise<RemovedMemberAnswer> {
    const read = readerOf(account)(number);
    // A refused number stands for itself: older versions kept some of them, and the errors of the list come first.
    const digits = 'refused' in read ? number : read.digits;
    await this.commands.execute(new RemoveMemberCommand(account, readListId(id), digits));
    return { success: true, message: 'Member removed successfully' };
  }

  private async added({ account }: Actor, id: string, body: RawMembers): Promise<AddedMembersData> {
    const read = readMembers(body, readerOf(account));
    if ('fault' in read) throw listFaults[read.fault]();
    if ('rows' in read) throw listErrors.faulty().naming(read.rows);
    const listId = readListId(id);
    if ('uploadId' in read) {
      if (read.uploadId === undefined) throw uploadErrors.notFound();
      const filled = await this.commands.execute(new FillListCommand(account, listId, read.uploadId));
      return { added: filled.added, duplicates_count: filled.duplicatesCount, duplicates: [...filled.duplicates] };
    }
    const { added, duplicates } = await this.commands.execute(new AddMembersCommand(account, listId, read.recipients));
    const shown = duplicates.slice(0, MOST_DUPLICATES_SHOWN);
    return { added, duplicates_count: duplicates.length, duplicates: shown };
  }
}
