import { Injectable } from '@nestjs/common';
import { acceptedBody, providerSilent } from './answers.js';
import { type GraphAccount, phoneNumberIdOf } from './config.js';
import { MetaCloudClient } from './graph-client.js';
import { WIRE_PRODUCT } from './messages.js';
import { uploadFile, type UploadedFile } from './resumable-upload.js';

/** The fields of a profile that can be changed; reference/business-profile#fields. */
interface ChangeableProfile {
  about: string;
  address: string;
  description: string;
  email: string;
  /** business category, a word of the upstream such as RETAIL */
  vertical: string;
  websites: string[];
}

/** Live business profile (reference/business-profile#fields); what the upstream does not say is `''` or `[]`. */
export interface BusinessProfile extends ChangeableProfile {
  profile_picture_url: string;
}

/** Fields to change; an absent one keeps its value. */
export type BusinessProfileChanges = Partial<ChangeableProfile>;

const TEXTS = ['about', 'address', 'description', 'email', 'profile_picture_url', 'vertical'] as const;
const FIELDS = [...TEXTS, 'websites'].join(',');

/**
 * Business profile of an account's number at the upstream; `crm` and `reseller` speak the same API. Only for accounts
 * whose URL names a number.
 * Every call throws AppError: `unprocessable` with the upstream's own text when it refuses, `upstream` when it is silent,
 * at fault itself, or answers something else than this API does.
 */
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

  /**
   * Three steps: an upload session, the bytes, the profile's new handle. Nothing has changed unless all succeed.
   * @returns the upstream's answer to the last step
   */
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

/** @throws AppError `upstream` when the answer holds no list of profiles */
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
