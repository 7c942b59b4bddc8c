/**
 * An object that its maker still fills: optional fields are set one by one where they are present. On the path of every
 * call that is ten times cheaper than a spread for each of them.
 */
export type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] }
