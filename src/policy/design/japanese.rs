//! Japanese tasks: the path comes first, and the verb ends the sentence.

use std::ops::Range;

use super::blocks::InlineText;
use super::change_type::RowAction;
use super::source::DesignText;
use super::task_objects::{Object, objects, written};
use crate::policy::Actions;

/// What a sentence ends with that writes.
const WRITES: &[&str] = &[
    "追加",
    "追記",
    "作成",
    "作る",
    "新設",
    "実装",
    "更新",
    "変更",
    "修正",
    "改訂",
    "定義",
    "移動",
    "登録",
    "組み込み",
    "組み込む",
    "生成",
    "置換",
    "置き換え",
    "置き換える",
    "書き換え",
    "書き換える",
    "書く",
    "記述",
    "記載",
    "拡張",
    "エクスポート",
    "導入",
    "統合",
    "リファクタリング",
    "分割",
    "設定",
    "有効化",
    "反映",
    "適用",
];
/// Words that say that the path is only looked at.
const READS: &[&str] = &[
    "参考",
    "参照",
    "使用",
    "利用",
    "使って",
    "呼び出",
    "もとに",
    "元に",
    "基づ",
    "従っ",
    "に対する",
    "に関する",
    "合わせ",
    "準拠",
    "インポート",
];

/// What a task does with which paths; `None` if it is not Japanese or writes no path.
pub(super) fn read(
    source: &DesignText<'_>,
    line: &InlineText,
    span: Range<usize>,
) -> Option<(RowAction, Vec<Object>)> {
    let text = source.slice(span.clone());
    let is_kana = |c: char| ('\u{3041}'..='\u{30ff}').contains(&c);
    if !text.contains(is_kana) {
        return None;
    }
    let end = text.trim_end_matches(['。', '.', ' ', '\n', '\r']);
    let verb = ["しました", "します", "した", "する"]
        .iter()
        .find_map(|form| end.strip_suffix(form))
        .unwrap_or(end);
    let deletes = verb.ends_with("削除");
    if !deletes && !WRITES.iter().any(|word| verb.ends_with(word)) {
        return None;
    }
    let objects = written(objects(source, line, span.clone()));
    let (first, last) = (objects.first()?, objects.last()?);
    let rest = source.slice(last.path.span.end..span.end);
    let rest = rest.trim_start_matches(' ');
    let rest = rest.strip_prefix("ファイル").unwrap_or(rest);
    let starts = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
    let is_first = first.before.is_empty();
    let is_place = starts(&["に", "へ"]);
    let is_written = is_place || is_first && starts(&["を", "の", "から", "—", "- ", "–"]);
    let is_test = !is_place && starts(&["の"]) && rest.contains("テスト");
    if !is_written || is_test || READS.iter().any(|word| rest.contains(word)) {
        return None;
    }
    let kind = match deletes && is_first && starts(&["を"]) {
        true => RowAction::Grant(Actions::DELETE),
        false => RowAction::Grant(Actions::ADD | Actions::MODIFY),
    };
    Some((kind, objects))
}
