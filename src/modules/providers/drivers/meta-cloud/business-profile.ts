import { Injectable } from '@nestjs/common';
import { acceptedBody, providerSilent } from './answers.js';
import { type GraphAccount, phoneNumberIdOf } from './config.js';
import { MetaCloudClient } from './graph-client.js';
import { WIRE_PRODUCT } from './messages.js';
import { uploadFile, type UploadedFile } from './resumable-upload.js';

interface ChangeableProfile {
  about: string;
  address: string;
  description: string;
  email: string;
  vertical: string;
  websites: string[];
}

/** Live business profile (reference/business-profile#fields); missing values are `''` or `[]`. */
export interface BusinessProfile extends ChangeableProfile {
  profile_picture_url: string;
}

export type BusinessProfileChanges = Partial<ChangeableProfile>;

const TEXTS = ['about', 'address', 'description', 'email', 'profile_picture_url', 'vertical'] as const;
const FIELDS = [...TEXTS, 'websites'].join(',');

/** The business profile of a number. @throws AppError `unprocessable` (the provider's text), `upstream` (no usable answer) */
@Injectable()
export class BusinessProfileClient {
  constructor(private readonly client: MetaCloudClient) {}

  async read(account: GraphAccount): Promise<BusinessProfile> {
    const answer = await this.client.request(account, {
      method: 'GET',
      path: pathOf(account),
      query: { fields: FIELDS },
    });
    return readProfile(acceptedBody(answer));
  }

  async update(account: GraphAccount, changes: BusinessProfileChanges): Promise<void> {
    await this.change(account, { ...changes });
  }

  /** Upload session, bytes, new handle: nothing changes unless all succeed. @returns the provider's last answer */
  async changePhoto(
    account: GraphAccount & { appId: string | null },
    photo: UploadedFile,
  ): Promise<Record<string, unknown>> {
    const handle = await uploadFile(this.client, account, photo);
    return this.change(account, { profile_picture_handle: handle });
  }

  private async change(account: GraphAccount, fields: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answer = await this.client.request(account, {
      method: 'POST',
      path: pathOf(account),
      json: { messaging_product: WIRE_PRODUCT, ...fields },
    });
    return acceptedBody(answer);
  }
}

const pathOf = (account: GraphAccount): string => `${phoneNumberIdOf(account) ?? ''}/whatsapp_business_profile`;

/** @throws AppError `upstream` when the answer has no list of profiles */
export function readProfile(body: Record<string, unknown>): BusinessProfile {
  const { data } = body;
  if (!Array.isArray(data)) throw providerSilent();
  const first: unknown = data[0];
  const profile = (typeof first === 'object' && first !== null ? first : {}) as Record<string, unknown>;
  const text = (field: (typeof TEXTS)[number]): string => {
    const value = profile[field];
    return typeof value === 'string' ? value : '';
  };
  const websites = Array.isArray(profile['websites']) ? (profile['websites'] as unknown[]) : [];
  return {
    about: text('about'),
    address: text('address'),
    description: text('description'),
    email: text('email'),
    profile_picture_url: text('profile_picture_url'),
    websites: websites.filter((website) => typeof website === 'string'),
    vertical: text('vertical'),
  };
}
