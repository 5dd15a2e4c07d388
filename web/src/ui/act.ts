import { queryClient } from '../app/query-client.js';
import { notify, notifyFault } from './toast.js';

interface Act<Answer, Asked> {
  /** asks before; `null` or `false`: nothing happens */
  ask?: () => Promise<Asked | null | false>;
  /** the call of the API. @param asked what the question came to: a reason */
  call: (asked: Asked) => Promise<Answer>;
  /** what is said when it is done: a text, or one made of the answer */
  done: string | ((answer: Answer) => string);
  /** before what is shown is asked for again: a way to another page, for what is gone */
  then?: (answer: Answer) => unknown;
  /** what a refusal is about */
  about?: string;
}

/**
 * What a button does: asks, calls the API, says what came of it, and asks again for what pages show, whatever came of it.
 * @returns whether it was done
 */
export async function act<Answer, Asked = true>({
  ask,
  call,
  done,
  then,
  about,
}: Act<Answer, Asked>): Promise<boolean> {
  const asked = ask === undefined ? (true as Asked) : await ask();
  if (asked === null || asked === false) return false;
  try {
    const answer = await call(asked);
    await then?.(answer);
    notify(typeof done === 'string' ? done : done(answer));
    return true;
  } catch (error) {
    notifyFault(error, about);
    return false;
  } finally {
    await queryClient.invalidateQueries();
  }
}
