import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../../accounts/index.js';
import { uploadSummary, type UploadSummary } from '../http/upload.dto.js';
import { UploadStore } from '../persistence/upload-store.js';

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
