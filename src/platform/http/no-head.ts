import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const NO_HEAD_METADATA = 'switchboard:no-head';

/** Express answers HEAD with a GET handler; a GET that sends must refuse it (405). */
export const NoHead = (): CustomDecorator => SetMetadata(NO_HEAD_METADATA, true);
