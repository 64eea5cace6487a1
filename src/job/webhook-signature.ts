/** The signature of a delivery, as the header `Orbweaver-Signature` has it. */
import { createHmac } from 'node:crypto';

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256 with the secret over `<seconds>.<body>`. The time is signed too, so a receiver that
 * refuses old ones cannot be sent a recorded delivery again.
 */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
