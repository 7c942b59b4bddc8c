import { faulty } from '../shapes/faults.mjs'

/** A parsed value → whether it is valid; unknown keys are not. */
export const validate = {
  title: 'validate a parsed value, unknown keys rejected',
  checks: true,
  against: 'typia',
  aims: { small: 0.8, medium: 0.8, large: 0.5 },
  inputs: ({ texts }) => texts.map((text) => JSON.parse(text)),
  mistakes(isValid, { texts, faults }, { ignoresUnknownKeys }) {
    const values = texts.map((text) => JSON.parse(text))
    const valid = values.flatMap((value, index) => (isValid(value) === true ? [] : [`refused valid value ${index}`]))
    const invalid = faults
      .filter((fault) => !(ignoresUnknownKeys && fault.unknownKey))
      .flatMap((fault) => (isValid(faulty(values[0], [fault])) === false ? [] : [`took a fault at ${fault.at}`]))
    const others = [null, undefined, 'text', 1, [], [values[0]], {}]
    return [...valid, ...invalid, ...others.filter((value) => isValid(value) !== false).map((value) => `took ${value}`)]
  },
  weigh: (isValid) => (isValid ? 1 : 0),
}
