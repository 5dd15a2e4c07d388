import bcrypt from 'bcrypt';

const hashes = new Map<string, Promise<string>>();

/** The stored form of a password, as the service makes it; made once a process, since making it is slow by design. */
export function hashOf(password: string): Promise<string> {
  let hash = hashes.get(password);
  if (hash === undefined) hashes.set(password, (hash = bcrypt.hash(password, 10)));
  return hash;
}
