import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import type { Account } from '../accounts/index.js';
import type { Upload } from './domain/list-form.js';
import { ListStore } from './lists.store.js';
import { ListMembers } from './members.store.js';
import {
  listData,
  type ListData,
  memberData,
  type MemberData,
  uploadData,
  type UploadData,
  uploadSummary,
  type UploadSummary,
} from './recipient-lists.dto.js';
import { listErrors, uploadErrors } from './recipient-lists.errors.js';
import { skippedLines } from './skipped-rows.js';
import { UploadStore } from './uploads.store.js';

/** One list of an account; times in its zone. @throws AppError not_found */
export class GetListQuery extends Query<ListData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetListQuery)
export class GetListHandler implements IQueryHandler<GetListQuery> {
  constructor(private readonly lists: ListStore) {}

  async execute({ account, id }: GetListQuery): Promise<ListData> {
    const list = await this.lists.byId(account.id, id);
    if (!list) throw listErrors.notFound();
    return listData(list, account.timeZone);
  }
}

/** An account's lists, newest first; times in its zone. */
export class ListListsQuery extends Query<Listed<ListData>> {
  constructor(
    readonly account: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListListsQuery)
export class ListListsHandler implements IQueryHandler<ListListsQuery> {
  constructor(private readonly lists: ListStore) {}

  async execute({ account, page }: ListListsQuery): Promise<Listed<ListData>> {
    return shown(await this.lists.part(account.id, page), (list) => listData(list, account.timeZone));
  }
}

/** Members of a list, by number. @throws AppError not_found */
export class ListMembersQuery extends Query<Listed<MemberData>> {
  constructor(
    readonly account: Account,
    readonly listId: number,
    /** first digits of the numbers; '' = all */
    readonly beginning: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListMembersQuery)
export class ListMembersHandler implements IQueryHandler<ListMembersQuery> {
  constructor(
    private readonly lists: ListStore,
    private readonly members: ListMembers,
  ) {}

  async execute({ account, listId, beginning, page }: ListMembersQuery): Promise<Listed<MemberData>> {
    if (!(await this.lists.byId(account.id, listId))) throw listErrors.notFound();
    return shown(await this.members.part(listId, beginning, page), memberData);
  }
}

/** One upload of an account; times in its zone. @throws AppError not_found */
export class GetUploadQuery extends Query<UploadData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetUploadQuery)
export class GetUploadHandler implements IQueryHandler<GetUploadQuery> {
  constructor(private readonly uploads: UploadStore) {}

  async execute({ account, id }: GetUploadQuery): Promise<UploadData> {
    const upload = await this.uploads.byId(account.id, id);
    if (!upload) throw uploadErrors.notFound();
    return uploadData(upload, account.timeZone);
  }
}

export interface SkippedRows {
  upload: Upload;
  /** lines of CSV */
  batches: AsyncIterable<string>;
}

/** Rows of an upload that were left out. @throws AppError not_found */
export class SkippedRowsQuery extends Query<SkippedRows> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(SkippedRowsQuery)
export class SkippedRowsHandler implements IQueryHandler<SkippedRowsQuery> {
  constructor(private readonly uploads: UploadStore) {}

  async execute({ account, id }: SkippedRowsQuery): Promise<SkippedRows> {
    const upload = await this.uploads.byId(account.id, id);
    if (!upload) throw uploadErrors.notFound();
    return { upload, batches: skippedLines(this.uploads, upload) };
  }
}

/** An account's uploads, newest first; times in its zone. */
export class ListUploadsQuery extends Query<Listed<UploadSummary>> {
  constructor(
    readonly account: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListUploadsQuery)
export class ListUploadsHandler implements IQueryHandler<ListUploadsQuery> {
  constructor(private readonly uploads: UploadStore) {}

  async execute({ account, page }: ListUploadsQuery): Promise<Listed<UploadSummary>> {
    return shown(await this.uploads.part(account.id, page), (upload) => uploadSummary(upload, account.timeZone));
  }
}
