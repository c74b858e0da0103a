import { nkeys } from '@nats-io/transport-node';

/** A server's configuration with an operator, and credentials of users as nsc writes them. */
export interface MadeCredentials {
  readonly configuration: string;
  readonly credentials: string;
  /** Of a user whom another operator's account knows. */
  readonly strangers: string;
  readonly secrets: readonly string[];
}

type KeyPair = ReturnType<typeof nkeys.createUser>;

const FREE = {
  ...{ subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
};
const JETSTREAM = { ...FREE, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

/** Makes an operator, an account with JetStream and a user, each signed by the one above. */
export function makeCredentials(): MadeCredentials {
  const [operator, system] = [nkeys.createOperator(), nkeys.createAccount()];
  const chain = (root: KeyPair) => {
    const [account, user] = [nkeys.createAccount(), nkeys.createUser()];
    const accountToken = token(root, account, { type: 'account', limits: JETSTREAM });
    const userToken = token(account, user, { type: 'user', subs: -1, data: -1, payload: -1 });
    const seed = new TextDecoder().decode(user.getSeed());
    return { account, accountToken, userToken, seed };
  };
  const [ours, theirs] = [chain(operator), chain(nkeys.createOperator())];
  const preloaded = [
    `${ours.account.getPublicKey()}: ${ours.accountToken}`,
    `${system.getPublicKey()}: ${token(operator, system, { type: 'account', limits: FREE })}`,
  ];
  return {
    configuration: [
      `operator: ${token(operator, operator, { type: 'operator' })}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload: { ${preloaded.join(', ')} }\n`,
    ].join('\n'),
    credentials: inFile(ours.userToken, ours.seed),
    strangers: inFile(theirs.userToken, theirs.seed),
    secrets: [ours, theirs].flatMap(({ seed, userToken }) => [seed, userToken]),
  };
}

/** A JWT as NATS has them: signed by an NKey. */
function token(by: KeyPair, of: KeyPair, nats: object): string {
  const encoded = (part: object | Uint8Array) =>
    Buffer.from(part instanceof Uint8Array ? part : JSON.stringify(part)).toString('base64url');
  const claims = {
    ...{ jti: of.getPublicKey(), iat: Math.floor(Date.now() / 1000), iss: by.getPublicKey() },
    ...{ sub: of.getPublicKey(), name: 'test', nats: { ...nats, version: 2 } },
  };
  const text = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(claims)}`;
  return `${text}.${encoded(by.sign(new TextEncoder().encode(text)))}`;
}

function inFile(userToken: string, seed: string): string {
  const block = (name: string, text: string) =>
    `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
  return block('NATS USER JWT', userToken) + block('USER NKEY SEED', seed);
}
