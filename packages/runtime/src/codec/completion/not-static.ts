/** Thrown while a completion is built where which fields are declared depends on more than tags and kinds. */
export class NotStatic extends Error {
  override readonly name: string = 'NotStatic'
}
