/** A self-signed certificate generated for each run (X.509 v3, P-256), so that no key is in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(6, Buffer.from(hex, 'hex'));
const time = (date: Date) => der(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));

/** A subject alternative name: a DNS name, or an IPv4 address. */
const altNameOf = (name: string) =>
  isIP(name) > 0 ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));

/** @returns key and certificate in PEM, for one DNS name or IPv4 address, valid from `from` to `until` */
export function selfSigned(name: string, from: Date, until: Date): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
  const altName = sequence(oid('551d11'), der(4, sequence(altNameOf(name))));
  const body = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([1])),
    ECDSA_SHA256,
    subject,
    sequence(time(from), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName)),
  );
  const signature = der(3, Buffer.from([0]), sign('sha256', body, privateKey));
  const cert = sequence(body, ECDSA_SHA256, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
  };
}
