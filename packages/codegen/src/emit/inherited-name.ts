/**
 * True for a name that every object inherits, such as `constructor`: TypeScript gives such a property the inherited
 * type where it should have that of an index signature or of an optional property.
 */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype
}
