/** Rules for the errors of common libraries: `new Runtime({ errorRules: vendorErrors })`. */

export {
  aws,
  axios,
  cockatiel,
  grpc,
  mcpSdk,
  openAi,
  slack,
  sqlState,
  stripe,
  telegram,
  undici,
  vendorErrors,
} from './adapters/vendor-errors.js'
export type { ErrorMeaning, ErrorRule } from './call/classify.js'
