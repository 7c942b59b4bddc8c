/**
 * In the manner of the OpenTelemetry conventions: stands for all that are not known or not told apart, so that models cannot
 * make up series.
 */
export const OTHER = '_OTHER'
