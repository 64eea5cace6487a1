/**
 * The value of a switch that an argument turns off (`noFilter`). An argument overrules its property: given as false, it turns the
 * switch on.
 */
export const unlessNegated = (argument: boolean | undefined, property: boolean): boolean =>
  argument === undefined ? property : !argument;
