use super::*;

#[test]
fn typescript_overloads_accessors_interfaces_and_exports() {
    let old = "\
import a, { b } from './m';

export class C {
  private x = 1;

  m(a: string): void;
  m(a: any) {}

  get z() { return 1; }
}

interface I {
  f(a: string): void;
}
";
    let content = "\
import a, { b, type D } from './m';
import 'side';

export class C {
  private x = 1;
  y = 2;
  m(a: number): void;
  m(a: any) {}
  set z(v) {}
  @log()
  async n() {
    return `
  raw`;
  }
}

interface I {
  f(a: number): void;
  g?: string;
}

/** Doc. */
export const arrow = () => 1;
export type T = string;
export { arrow as other };
start();
";
    let expected = "\
import a, { b } from './m';
import { type D } from './m';
import 'side';

export class C {
  private x = 1;

  m(a: string): void;
  m(a: any) {}

  get z() { return 1; }
  y = 2;
  set z(v) {}

  @log()
  async n() {
    return `
  raw`;
  }
}

interface I {
  f(a: string): void;
  f(a: number): void;
  g?: string;
}

/** Doc. */
export const arrow = () => 1;

export type T = string;
export { arrow as other };
";
    let extension = check("a.ts", old, content, expected);
    assert_eq!(extension.kept, ["method C.m"]);
    assert_eq!(extension.left_out, ["start();"]);
    assert!(extension.added.contains(&"method I.f(number)".to_owned()));
    refused(
        "a.ts",
        "export default function a() {}\n",
        "export default function b() {}\n",
        FailureKind::NoPlace,
        "part of function b, default",
    );
}

#[test]
fn members_of_a_class_and_of_its_instances_are_not_the_same() {
    check(
        "a.ts",
        "class C {\n  static now = 1;\n}\n",
        "class C {\n  now = 2;\n  static at() {}\n}\n",
        "class C {\n  static now = 1;\n  now = 2;\n  static at() {}\n}\n",
    );
}

#[test]
fn jsx_and_tsx_are_recognised_by_extension() {
    let old = "const a = 1;\n";
    let content = "function B() {\n  return <p>x</p>;\n}\n";
    let expected = "const a = 1;\n\nfunction B() {\n  return <p>x</p>;\n}\n";
    for path in ["a.jsx", "a.js", "a.tsx", "A.TSX"] {
        check(path, old, content, expected);
    }
    refused(
        "a.ts",
        old,
        content,
        FailureKind::SyntaxError,
        "does not parse as TypeScript",
    );
}
