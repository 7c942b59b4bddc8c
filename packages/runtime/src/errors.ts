/**
 * Rules that classify the errors of common libraries: `@toolgen/runtime/errors`. Pass these rules to the runtime:
 * `new Runtime({ errorRules: vendorErrors })`.
 *
 * @module
 */

export { type VendorRules, vendorErrors, vendorRules } from './adapters/vendor-errors.js'
export type { ErrorRule } from './call/classify.js'
export type { ErrorMeaning } from './call/error-meanings.js'
