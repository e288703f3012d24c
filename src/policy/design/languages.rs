//! Words of other languages at the start of items and tasks, and before paths.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Verbs, and the English word for each.
const VERBS: &[(&str, &[&str])] = &[
    (
        "create",
        &[
            "crear",
            "생성",
            "작성",
            "criar",
            "créer",
            "erstellen",
            "anlegen",
            "建立",
            "新檔",
            "新档",
            "新增檔案",
            "新增文件",
            "создать",
            "tạo",
        ],
    ),
    (
        "new",
        &[
            "nuevo",
            "neu",
            "neue",
            "신규",
            "新規",
            "nueva",
            "novo",
            "nouveau",
            "nouvelle",
            "nuovo",
            "новый",
        ],
    ),
    (
        "add",
        &[
            "agregar",
            "추가",
            "追加",
            "añadir",
            "adicionar",
            "ajouter",
            "hinzufügen",
            "добавить",
            "thêm",
        ],
    ),
    (
        "modify",
        &[
            "modificar",
            "modificado",
            "수정",
            "변경",
            "変更",
            "修正",
            "atualizar",
            "actualizar",
            "ajustar",
            "editar",
            "modifier",
            "ändern",
            "обновить",
            "изменить",
            "調整",
            "调整",
            "變更",
            "变更",
        ],
    ),
    (
        "delete",
        &[
            "eliminar",
            "삭제",
            "削除",
            "borrar",
            "excluir",
            "remover",
            "supprimer",
            "löschen",
            "удалить",
            "刪除",
        ],
    ),
    (
        "rename",
        &[
            "renomear",
            "renombrar",
            "renommer",
            "umbenennen",
            "重新命名",
        ],
    ),
    (
        "implement",
        &[
            "implementar",
            "implémenter",
            "implementieren",
            "реализовать",
            "實作",
            "实作",
            "實現",
            "实现",
            "編寫",
            "编写",
            "撰寫",
            "撰写",
            "設定",
            "设置",
            "配置",
            "初始",
            "定義",
            "定义",
            "遷移",
            "迁移",
            "註冊",
            "注册",
            "優化",
            "优化",
            "補充",
            "补充",
            "修復",
            "修复",
            "修正",
            "重寫",
            "重写",
            "改寫",
            "改写",
            "改造",
            "引入",
            "接入",
            "增加",
            "加入",
            "提取",
            "拆分",
            "合併",
            "合并",
            "統一",
            "统一",
            "替換",
            "替换",
            "清理",
            "導出",
            "导出",
            "簡化",
            "简化",
            "适配",
            "編輯",
            "编辑",
            "整合",
            "集成",
            "擴展",
            "扩展",
            "重構",
            "重构",
            "完善",
            "封裝",
            "封装",
            "configurar",
            "configurer",
            "escrever",
            "escribir",
            "écrire",
            "refatorar",
            "refactorizar",
            "integrar",
            "registrar",
            "extrair",
            "extraer",
            "настроить",
            "написать",
        ],
    ),
    (
        "run",
        &[
            "executar",
            "ejecutar",
            "exécuter",
            "rodar",
            "testar",
            "probar",
            "tester",
            "ausführen",
            "запустить",
            "執行",
            "执行",
            "運行",
            "运行",
        ],
    ),
    (
        "verify",
        &[
            "verificar",
            "validar",
            "revisar",
            "garantir",
            "asegurar",
            "confirmar",
            "vérifier",
            "usar",
            "seguir",
            "ler",
            "leer",
            "prüfen",
            "проверить",
            "驗證",
            "確認",
            "确认",
            "檢查",
            "審查",
            "审查",
            "參考",
            "使用",
            "確保",
            "确保",
            "核對",
            "核对",
            "對照",
            "对照",
            "查閱",
            "查阅",
            "分析",
            "研究",
            "評審",
            "评审",
            "閱讀",
            "阅读",
        ],
    ),
];

/// Prepositions, and the English word for each.
const PREPOSITIONS: &[(&str, &[&str])] = &[
    ("into", &["em", "en", "dans", "в", "trong", "ở"]),
    ("for", &["para", "pour", "für", "для"]),
    ("of", &["de", "do", "da", "del", "du", "des", "von"]),
    ("with", &["com", "con", "avec", "mit"]),
    (
        "using",
        &[
            "usando",
            "utilizando",
            "según",
            "segundo",
            "conforme",
            "selon",
        ],
    ),
    (
        "file",
        &[
            "arquivo", "archivo", "fichier", "datei", "файл", "檔案", "文件",
        ],
    ),
];

/// Words for "files". `label::role` knows how the ASCII ones begin.
const FILES: &[&str] = &[
    "arquivo",
    "arquivos",
    "archivo",
    "archivos",
    "fichero",
    "ficheros",
    "fichier",
    "fichiers",
    "datei",
    "dateien",
    "файл",
    "файлы",
    "파일",
];
/// What labels of files say in other languages besides verbs; empty for a filler.
const OF_LABELS: &[(&str, &[&str])] = &[
    (
        "modified",
        &[
            "modificados",
            "modifiés",
            "alterados",
            "geänderte",
            "изменяемые",
            "수정할",
            "변경할",
            "수정되는",
        ],
    ),
    (
        "created",
        &[
            "criados",
            "creados",
            "nuevos",
            "novos",
            "nouveaux",
            "новые",
            "생성할",
            "추가할",
        ],
    ),
    (
        "affected",
        &[
            "afetados",
            "afectados",
            "affectés",
            "betroffene",
            "затронутые",
            "영향",
            "대상",
        ],
    ),
    (
        "the",
        &[
            "a", "à", "para", "que", "de", "do", "da", "los", "os", "les", "die", "zu", "für",
            "для",
        ],
    ),
];

/// The English words of a label that speaks of files in another language.
pub(super) fn label(words: &[String]) -> Option<Vec<&'static str>> {
    words
        .iter()
        .any(|word| FILES.contains(&word.as_str()))
        .then_some(())?;
    static ENGLISH: LazyLock<Dictionary> = LazyLock::new(|| dictionary(OF_LABELS));
    let english = |word: &String| match word.as_str() {
        word if FILES.contains(&word) => Some("files"),
        word => ENGLISH.get(word).copied().or_else(|| verb(word)),
    };
    words.iter().map(english).collect()
}

/// The English verb for a word in lower case.
pub(super) fn verb(word: &str) -> Option<&'static str> {
    static ENGLISH: LazyLock<Dictionary> = LazyLock::new(|| dictionary(VERBS));
    ENGLISH.get(word).copied()
}

/// The English preposition for a word in lower case.
pub(super) fn preposition(word: &str) -> Option<&'static str> {
    static ENGLISH: LazyLock<Dictionary> = LazyLock::new(|| dictionary(PREPOSITIONS));
    ENGLISH.get(word).copied().or_else(|| {
        let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
        if ends(&[
            "使用", "根據", "根据", "參考", "参考", "调用", "呼叫", "依照", "按照",
        ]) {
            return Some("using");
        }
        ends(&["在", "到", "至", "於", "于"]).then_some("into")
    })
}

/// The English word for each word.
type Dictionary = HashMap<&'static str, &'static str>;

fn dictionary(lists: &[(&'static str, &'static [&'static str])]) -> Dictionary {
    let words = lists
        .iter()
        .flat_map(|(english, words)| words.iter().map(|word| (*word, *english)));
    words.collect()
}

/// The two characters of a Chinese verb at the start of a text, which no blank separates from its object.
pub(super) fn leading_verb(text: &str) -> Option<&str> {
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let (end, last) = text.char_indices().nth(1)?;
    let both = text.starts_with(is_han) && is_han(last);
    both.then(|| text.get(..end + last.len_utf8())).flatten()
}

/// Whether Chinese words end with a path, as tasks with a number do: "the list to the new hook `a`".
pub(super) fn names_last(before: &str, after: &str) -> bool {
    const READS: &[&str] = &[
        "驗證", "验证", "檢查", "检查", "審查", "审查", "確認", "确认", "執行", "执行", "運行",
        "运行", "參考", "参考", "查看", "閱讀", "阅读", "對照", "对照", "分析", "測試", "测试",
        "使用", "按照",
    ];
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let after = after.trim_start_matches('`').trim_start();
    before.contains(is_han)
        && !READS.iter().any(|word| before.contains(word))
        && (after.is_empty() || after.starts_with(['(', '（']))
}
