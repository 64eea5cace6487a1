/**
 * The states of webhooks and of their deliveries, in one table.
 *
 *   ACTIVE ───▶ OFF                     its receiver answered 410: it is gone for good
 *
 *   WAITING ──▶ DELIVERED, DEAD         delivered; all attempts failed, the webhook is off, or the event was deleted
 *      ◀──────────────┘                 sent again on request
 */
export const webhookStates = ['ACTIVE', 'OFF'] as const;
export type WebhookState = (typeof webhookStates)[number];

export const deliveryStates = ['WAITING', 'DELIVERED', 'DEAD'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Whether a webhook takes events. */
export const isActive = (state: WebhookState): boolean => state === 'ACTIVE';

/** The state of a delivery after an attempt. */
export function afterAttempt({ isDelivered, isGivenUp }: { isDelivered: boolean; isGivenUp: boolean }): DeliveryState {
  if (isDelivered) return 'DELIVERED';
  return isGivenUp ? 'DEAD' : 'WAITING';
}
